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
from pipedoctor.text.block import Block
from pipedoctor.text.place import jetson

MOST = 64

_LINE = re.compile(r"GPU (\d+(?:\s*,\s*\d+)*)\s*:?\s+(.+)|GPU (\d+(?:,\d+)*):(\S.*)")
_UUID = re.compile(r"\(UUID:?\s*([\w-]{0,60})\)?")
_ARCH = re.compile(r"\(arch=(\d+\.\d+)\)")
_MIG = re.compile(r"MIG \S+\s+Device")
_OTHERS = re.compile(
    r"\b(?:AMD|Radeon|gfx\d|Instinct|Intel|Arc\(|Ascend|Device [0-9a-f]{4}\b)"
)
_OURS = re.compile(
    r"NVIDIA|GeForce|Tesla|Quadro|TITAN|RTX|GTX|GRID|[AHVPLTB]\d{1,4}\b|Orin|Xavier"
)
_DRIVER = re.compile(r"(?<![\d.])\d{3}(?:\.\d+){1,3}(?![\w.])")
_CUDNN = re.compile(
    r"(?:lib)?(cudnn\w*?)(?:64_(\d+)\.dll|\.so(?:\.(\d+(?:\.\d+)*))?$"
    r"|\.(\d+(?:\.\d+)*)\.dylib$)"
)
_PATHS = re.compile(r"\s+(?=/|[A-Z]:\\)")
_TROUBLE = (("version mismatch", 18), ("communicate with the NVIDIA driver", 9))


def gpu(block: Block, torch: TorchBuild | None) -> Gpu | None:
    """NVIDIA's driver and cards; None: the text names neither."""
    if torch is not None and torch.hip:
        return None
    devices = tuple(_devices(block))[:MOST]
    said = " ".join([*block.fields.get("driver", ()), *block.fields.get("gpus", ())])
    driver = _DRIVER.search(" ".join(block.fields.get("driver", ())[:8]))
    code = next((code for words, code in _TROUBLE if words in said), None)
    if not devices and not driver and code is None:
        return None
    return Gpu(
        driver=driver[0] if driver else "",
        devices=devices,
        error=said[:200] if code else "",
        error_code=code,
    )


def why_no_gpu(block: Block) -> str:
    """Why there are no facts of a GPU, in the words of the text; empty: no word."""
    for key in ("driver", "gpus", "available"):
        value = block.said(key)
        if value is not None and values.absent(value) and value:
            return f"the text says: {value[:40]}"
    return ""


def accelerators(
    block: Block, torch: TorchBuild | None, gpu: Gpu | None
) -> Accelerators | None:
    """What follows for the hardware; None: the text says nothing of it."""
    rocm = torch is not None and bool(torch.hip)
    tegra = jetson(block)
    driver, cards = block.said("driver"), block.said("gpus")
    missing = values.gap(cards) and values.gap(driver) and not _answered(block)
    none = values.no_cuda(cards) or values.no_cuda(driver)
    runtime = values.number(block.said("runtime"))
    signs = () if missing and runtime else _signs(block, torch)
    if not (rocm or tegra or missing or none or gpu or signs):
        return None
    return Accelerators(
        pci=() if none and gpu is None else None,
        rocm=rocm,
        jetson=tegra,
        toolkit=(runtime or "toolkit" * missing) if missing or gpu else "",
        signs=signs,
    )


def libraries(block: Block) -> Libraries | None:
    """The cuDNN libraries that the collector found lying around."""
    lines = block.fields.get("cudnn", ())
    paths = (path for line in lines for path in _PATHS.split(line)[:MOST])
    entries = tuple(dict.fromkeys(entry for path in paths if (entry := _path(path))))
    return Libraries(entries=entries) if entries else None


def _answered(block: Block) -> bool:
    """
    Was there a driver after all, or does nobody know whether torch wants one?

    A collector whose torch does not import says `Could not collect` of every part of
    CUDA, on machines that have none as well.
    """
    failed = (block.said("torch") or "").upper().startswith("N/A")
    return failed or any("driver on your system" in line for line in block.warnings)


def _signs(block: Block, torch: TorchBuild | None) -> tuple[str, ...]:
    """
    `Could not collect` for torch's CUDA: none in torch, but some on the machine.

    A toolkit explains it where the text names one, and neither driver nor GPU.
    """
    if torch is None or torch.hip or torch.xpu or not values.gap(block.said("cuda")):
        return ()
    return ("some part of CUDA",)


def _path(line: str) -> Library | None:
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


def _devices(block: Block) -> Iterator[Device]:
    count = 0
    migs = any(_MIG.search(line) for line in block.fields.get("gpus", ()))
    for indices, name in _named(block):
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


def _named(block: Block) -> Iterator[tuple[list[str], str]]:
    """``GPU 0,1: name`` lines; without such lines, plain names of cards."""
    if block.gpus:
        for line in block.gpus:
            match = _LINE.match(line)
            name = (match[2] or match[4]) if match else ""
            if match and not values.absent(name) and not _OTHERS.search(name):
                yield (match[1] or match[3]).split(",")[:MOST], name
        return
    for line in block.fields.get("gpus", ())[:MOST]:
        plain = line.strip()
        if _OURS.search(plain) and not _OTHERS.search(plain) and not _MIG.search(plain):
            yield ["0"], plain
