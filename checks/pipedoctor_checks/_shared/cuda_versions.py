"""Facts about a GPU, its driver and torch's messages that several checks use."""

from pipedoctor.facts import Accelerators, Gpu, TorchImport
from pipedoctor.facts.world_cards import GpuCapabilities
from pipedoctor.facts.world_torch import CudaDrivers
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import get_series, is_at_least, parse_version

_DRIVER_CUDA = compile_lazily(r"driver on your system is too old \(found version (\d+)\)")
_UNFIT_CAPABILITY = compile_lazily(r"with CUDA capability sm_(\d+) is not compatible")
_OLD_CAPABILITY = compile_lazily(r"which is of cuda capability (\d+\.\d+)\.")
_SUPPORTED_ARCHS = compile_lazily(r"supports CUDA capabilities ([a-z0-9_ ]+)")


def torch_messages(torch_import: TorchImport | None) -> str:
    """Join everything torch printed when it was imported and asked for CUDA."""
    if torch_import is None:
        return ""
    messages = (*torch_import.warnings, torch_import.cuda_error, torch_import.error)
    return "\n".join(messages)


def is_cuda_available(torch_import: TorchImport | None) -> bool | None:
    """Does torch say that it can use CUDA? None: it was not asked."""
    return torch_import.cuda_available if torch_import else None


def parse_driver_cuda(messages: str) -> str:
    """Read the CUDA of a driver that torch calls too old: ``11.4`` of ``11040``."""
    match = _DRIVER_CUDA.search(messages)
    return f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}" if match else ""


def parse_unfit_capabilities(messages: str) -> tuple[str, ...]:
    """Give the capabilities that torch calls incompatible or too old: ``9.0``."""
    shown = (f"{digits[:-1]}.{digits[-1]}" for digits in _UNFIT_CAPABILITY.findall(messages))
    return tuple(dict.fromkeys((*shown, *_OLD_CAPABILITY.findall(messages))))


def parse_supported_archs(messages: str) -> tuple[str, ...]:
    """Give the architectures that torch says it was built for."""
    match = _SUPPORTED_ARCHS.search(messages)
    return tuple(match[1].split()) if match else ()


def find_capabilities(gpu: Gpu | None, cards: GpuCapabilities) -> tuple[str, ...]:
    """Capabilities of all GPUs, each once: from the driver, else from the GPU's name."""
    found: list[str] = []
    for device in gpu.devices if gpu else ():
        card = None if device.capability else cards.find(device.name)
        found.append(device.capability or (card.capability if card else ""))
    return tuple(dict.fromkeys(filter(None, found)))


def is_driver_new_enough(
    drivers: CudaDrivers, cuda: str, driver: str, *, windows: bool | None
) -> bool | None:
    """Is the driver new enough for a build with this CUDA? None: not recorded."""
    least = drivers.find_minimum_driver(cuda, windows=windows)
    return is_at_least(driver, least) if least and parse_version(driver) else None


def is_driver_loaded(gpu: Gpu | None, accelerators: Accelerators | None) -> bool:
    """Is an NVIDIA driver loaded, whether or not its library answers?"""
    if gpu is not None and (gpu.driver or gpu.devices):
        return True
    return accelerators is not None and bool(accelerators.nvidia_module)


def is_driver_present(gpu: Gpu | None) -> bool:
    """Is an NVIDIA driver present, even a broken one (another check reports that)?"""
    if gpu is None:
        return False
    ill = gpu.hang is not None or gpu.error_code not in (None, 9, 12)
    return bool(gpu.driver or gpu.devices or ill)


def format_gpus(gpu: Gpu | None) -> str:
    """Name the GPUs: ``2 x NVIDIA A100``, or ``a GPU``."""
    names = [device.name for device in gpu.devices if device.name] if gpu else []
    if not names:
        return "an NVIDIA GPU"
    each = [(names.count(name), name) for name in dict.fromkeys(names)]
    return ", ".join(f"{n} x {name}" if n > 1 else name for n, name in each)


def format_cuda(version: str) -> str:
    """Format ``12.4.127`` as ``CUDA 12.4``."""
    return f"CUDA {get_series(version) or version}"
