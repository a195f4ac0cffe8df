"""What several checks ask of a GPU, its driver and torch's own words."""

import re

from pipedoctor.facts import Accelerators, Gpu, TorchImport
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.versions import numbers, reaches, series

_FOUND = re.compile(r"driver on your system is too old \(found version (\d+)\)")
_UNFIT = re.compile(r"with CUDA capability sm_(\d+) is not compatible")
_OLD = re.compile(r"which is of cuda capability (\d+\.\d+)\.")
_SUPPORTED = re.compile(r"supports CUDA capabilities ([a-z0-9_ ]+)")


def words(torch_import: TorchImport | None) -> str:
    """Everything torch said when it was imported and asked for CUDA."""
    if torch_import is None:
        return ""
    said = (*torch_import.warnings, torch_import.cuda_error, torch_import.error)
    return "\n".join(said)


def available(torch_import: TorchImport | None) -> bool | None:
    """Does torch say that it can use CUDA? None: it was not asked."""
    return torch_import.cuda_available if torch_import else None


def driver_cuda(said: str) -> str:
    """Read the CUDA of a driver that torch calls too old: ``11.4`` of ``11040``."""
    match = _FOUND.search(said)
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else ""


def unfit(said: str) -> tuple[str, ...]:
    """Give the capabilities that torch calls incompatible or too old: ``9.0``."""
    shown = (f"{digits[:-1]}.{digits[-1]}" for digits in _UNFIT.findall(said))
    return tuple(dict.fromkeys((*shown, *_OLD.findall(said))))


def supported(said: str) -> tuple[str, ...]:
    """Give the architectures that torch says it was built for."""
    match = _SUPPORTED.search(said)
    return tuple(match[1].split()) if match else ()


def capabilities(gpu: Gpu | None, cards: GpuCapabilities) -> tuple[str, ...]:
    """Of all GPUs, each once: what the driver says, else what the name tells."""
    found: list[str] = []
    for device in gpu.devices if gpu else ():
        card = None if device.capability else cards.find(device.name)
        found.append(device.capability or (card.capability if card else ""))
    return tuple(dict.fromkeys(filter(None, found)))


def fits(
    drivers: CudaDrivers, cuda: str, driver: str, *, windows: bool | None
) -> bool | None:
    """Is the driver new enough for a build with this CUDA? None: not recorded."""
    least = drivers.minimum(cuda, windows=windows)
    return reaches(driver, least) if least and numbers(driver) else None


def working(gpu: Gpu | None, accelerators: Accelerators | None) -> bool:
    """Is an NVIDIA driver at work here, with or without an answer of its library?"""
    if gpu is not None and (gpu.driver or gpu.devices):
        return True
    return accelerators is not None and bool(accelerators.nvidia_module)


def answers(gpu: Gpu | None) -> bool:
    """Is somebody there, even one that is ill (another check speaks of that)?"""
    if gpu is None:
        return False
    ill = gpu.hang is not None or gpu.error_code not in (None, 9, 12)
    return bool(gpu.driver or gpu.devices or ill)


def named(gpu: Gpu | None) -> str:
    """Name the GPUs: ``2 x NVIDIA A100``, or ``a GPU``."""
    names = [device.name for device in gpu.devices if device.name] if gpu else []
    if not names:
        return "an NVIDIA GPU"
    each = [(names.count(name), name) for name in dict.fromkeys(names)]
    return ", ".join(f"{n} x {name}" if n > 1 else name for n, name in each)


def cuda_of(version: str) -> str:
    """Say ``CUDA 12.4`` for ``12.4.127``."""
    return f"CUDA {series(version) or version}"
