"""GPUs, their driver and CUDA's libraries, as a text tells of them."""

import re
from collections.abc import Iterator

from pipedoctor.facts import (
    Accelerators,
    Device,
    Gpu,
    Libraries,
    Library,
    TorchBuild,
)
from pipedoctor.text import values
from pipedoctor.text.block import EnvironmentBlock
from pipedoctor.text.system import is_jetson

MAX_GPUS = 64

_GPU_LINE = re.compile(r"GPU (\d+(?:\s*,\s*\d+)*)\s*:?\s+(.+)|GPU (\d+(?:,\d+)*):(\S.*)")
_UUID = re.compile(r"\(UUID:?\s*([\w-]{0,60})\)?")
_ARCH = re.compile(r"\(arch=(\d+\.\d+)\)")
_MIG = re.compile(r"MIG \S+\s+Device")
_OTHER_VENDORS = re.compile(
    r"\b(?:AMD|Radeon|gfx\d|Instinct|Intel|Arc\(|Ascend|Device [0-9a-f]{4}\b)"
)
_NVIDIA_NAMES = re.compile(
    r"NVIDIA|GeForce|Tesla|Quadro|TITAN|RTX|GTX|GRID|[AHVPLTB]\d{1,4}\b|Orin|Xavier"
)
_DRIVER = re.compile(r"(?<![\d.])\d{3}(?:\.\d+){1,3}(?![\w.])")
_CUDNN = re.compile(
    r"(?:lib)?(cudnn\w*?)(?:64_(\d+)\.dll|\.so(?:\.(\d+(?:\.\d+)*))?$"
    r"|\.(\d+(?:\.\d+)*)\.dylib$)"
)
_PATHS = re.compile(r"\s+(?=/|[A-Z]:\\)")
_DRIVER_ERRORS = (("version mismatch", 18), ("communicate with the NVIDIA driver", 9))


def read_gpu(block: EnvironmentBlock, torch: TorchBuild | None) -> Gpu | None:
    """NVIDIA's driver and cards; None: the text names neither."""
    if torch is not None and torch.hip:
        return None
    devices = tuple(_read_devices(block))[:MAX_GPUS]
    fields = " ".join([*block.fields.get("driver", ()), *block.fields.get("gpus", ())])
    driver = _DRIVER.search(" ".join(block.fields.get("driver", ())[:8]))
    code = next((code for words, code in _DRIVER_ERRORS if words in fields), None)
    if not devices and not driver and code is None:
        return None
    return Gpu(
        driver=driver[0] if driver else "",
        devices=devices,
        error=fields[:200] if code else "",
        error_code=code,
    )


def explain_missing_gpu(block: EnvironmentBlock) -> str:
    """Why there are no facts of a GPU, in the words of the text; empty: no word."""
    for key in ("driver", "gpus", "available"):
        value = block.get_value(key)
        if value is not None and values.is_absent(value) and value:
            return f"the text says: {value[:40]}"
    return ""


def read_accelerators(
    block: EnvironmentBlock, torch: TorchBuild | None, gpu: Gpu | None
) -> Accelerators | None:
    """What the text says of accelerators and their toolkits; None: nothing."""
    rocm = torch is not None and bool(torch.hip)
    tegra = is_jetson(block)
    driver, cards = block.get_value("driver"), block.get_value("gpus")
    missing = (
        values.is_not_collected(cards)
        and values.is_not_collected(driver)
        and not _has_driver(block)
    )
    none = values.is_no_cuda(cards) or values.is_no_cuda(driver)
    runtime = values.parse_number(block.get_value("runtime"))
    signs = () if missing and runtime else _find_cuda_signs(block, torch)
    if not (rocm or tegra or missing or none or gpu or signs):
        return None
    wanted = torch is not None and bool(torch.cuda)
    return Accelerators(
        pci=() if none and gpu is None and not wanted else None,
        rocm=rocm,
        jetson=tegra,
        toolkit=(runtime or "toolkit" * missing) if missing or gpu else "",
        signs=signs,
    )


def read_libraries(block: EnvironmentBlock) -> Libraries | None:
    """The cuDNN libraries that the collector found lying around."""
    lines = block.fields.get("cudnn", ())
    paths = (path for line in lines for path in _PATHS.split(line)[:MAX_GPUS])
    entries = tuple(dict.fromkeys(entry for path in paths if (entry := _parse_library(path))))
    return Libraries(entries=entries) if entries else None


def _has_driver(block: EnvironmentBlock) -> bool:
    """
    Was there a driver after all, or could the collector not ask?

    A collector whose torch does not import says `Could not collect` of every part of
    CUDA, on machines that have none as well.
    """
    failed = (block.get_value("torch") or "").upper().startswith("N/A")
    return failed or any("driver on your system" in line for line in block.warnings)


def _find_cuda_signs(block: EnvironmentBlock, torch: TorchBuild | None) -> tuple[str, ...]:
    """
    `Could not collect` for torch's CUDA: none in torch, but some on the machine.

    A toolkit explains it where the text names one, and neither driver nor GPU.
    """
    if (
        torch is None
        or torch.hip
        or torch.xpu
        or not values.is_not_collected(block.get_value("cuda"))
    ):
        return ()
    return ("some part of CUDA",)


def _parse_library(line: str) -> Library | None:
    path = line.strip()[:300]
    if path.startswith("/"):
        path = path.split()[0]  # where newlines are lost, the next field follows
    match = _CUDNN.search(path)
    if match is None or path.endswith(".a"):
        return None
    version = match[2] or match[3] or match[4] or ""
    major = version.partition(".")[0]
    name = f"lib{match[1]}.so.{major}" if major else f"lib{match[1]}.so"
    return Library(soname=name, path=path, version=version)


def _read_devices(block: EnvironmentBlock) -> Iterator[Device]:
    count = 0
    migs = any(_MIG.search(line) for line in block.fields.get("gpus", ()))
    for indices, name in _read_gpu_names(block):
        for _ in indices:
            arch, uuid = _ARCH.search(name), _UUID.search(name)
            plain = _ARCH.sub("", _UUID.sub("", name)).strip()[:100]
            yield Device(
                index=count,
                name=plain,
                capability=arch[1] if arch else "",
                uuid=uuid[1] if uuid and uuid[1].startswith("GPU-") else "",
                mig=True if migs else None,
            )
            count += 1


def _read_gpu_names(block: EnvironmentBlock) -> Iterator[tuple[list[str], str]]:
    """``GPU 0,1: name`` lines; without such lines, plain names of cards."""
    if block.gpus:
        for line in block.gpus:
            match = _GPU_LINE.match(line)
            name = (match[2] or match[4]) if match else ""
            if match and not values.is_absent(name) and not _OTHER_VENDORS.search(name):
                yield (match[1] or match[3]).split(",")[:MAX_GPUS], name
        return
    for line in block.fields.get("gpus", ())[:MAX_GPUS]:
        plain = line.strip()
        if (
            _NVIDIA_NAMES.search(plain)
            and not _OTHER_VENDORS.search(plain)
            and not _MIG.search(plain)
        ):
            yield ["0"], plain
