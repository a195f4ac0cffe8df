"""The torch of a text: its build, and what happened when it was imported."""

import re
from dataclasses import dataclass

from pipedoctor.facts import Distribution, Packages, TorchBuild, TorchImport
from pipedoctor.text import values
from pipedoctor.text.block import Block

_TAG = re.compile(r"(?:^|\.)cu(\d{2,4})(?:\.|$)")
_CONDA_CUDA = re.compile(r"cuda(\d+)\.(\d+)(?:\.\d+)*|cuda(\d+)(\d)(?=py|_|$)")
_ROCM = re.compile(r"rocm([\d.]+)")
_RUNTIME = re.compile(r"(?:CUDA|HIP) Runtime (\d+\.\d+)")
_CODE = re.compile(r"code=((?:sm|compute)_\d+[a-z]?)")
_CUDNN = re.compile(r"CuDNN (\d+(?:\.\d+)+)")
_PATH = re.compile(r"@\s?(\S+)|\['?([^'\]]+)'?\]")
_UNKNOWN = "unknown version"


@dataclass(frozen=True, kw_only=True)
class _Backend:
    cuda: str = ""
    hip: str = ""
    xpu: str = ""
    known: bool = True


def torch_build(block: Block, packages: Packages | None) -> TorchBuild | None:
    """The torch that is imported; where its line is cut off, the one that is listed."""
    said = block.said("torch")
    version, local = values.version(said)
    if not version:
        if said is not None and values.absent(said):
            return None
        listed = _listed(packages)
        version, local = values.version(listed.version if listed else "")
        if not version:
            return None
    conda = _conda(packages, version)
    backend = _backend(block, local, conda)
    built = " ".join(block.fields.get("built", ()))
    cudnn = _CUDNN.search(built)
    codes = tuple(dict.fromkeys(_CODE.findall(built)))
    return TorchBuild(
        version=version,
        local=local,
        cuda=backend.cuda,
        hip=backend.hip,
        xpu=backend.xpu,
        known_backend=backend.known,
        debug=bool(values.yes(block.said("debug"))),
        location=_location(f"{said or ''} {block.said('torch_path') or ''}"),
        origin="text",
        conda_build=conda,
        arch_list=codes or None,
        cudnn=cudnn[1] if cudnn else "",
    )


def torch_import(block: Block) -> TorchImport | None:
    """What the collector saw when it imported torch; None: the text does not tell."""
    said = block.said("torch")
    version, local = values.version(said)
    failed = said is not None and not version and said.upper().startswith("N/A")
    if said is None and "available" not in block.fields and not block.warnings:
        return None
    numpy = any("NumPy" in line or "_ARRAY_API" in line for line in block.warnings)
    return TorchImport(
        ok=not failed,
        version=f"{version}+{local}" if local else version,
        error=_error(block) if failed else "",
        warnings=tuple(block.warnings[:20]),
        cuda_available=_available(block),
        numpy_ok=False if numpy else None,
    )


def _error(block: Block) -> str:
    """A collector for two frameworks may well find only the other one."""
    other = values.version(block.said("tensorflow"))[0]
    said = "PyTorch version: N/A"
    return f"No module named 'torch': {said}" if other else said


def _available(block: Block) -> bool | None:
    also = re.search(r"\((True|False)\)", block.said("torch") or "")
    said = block.said("available")
    return values.yes(said if said is not None else (also[1] if also else None))


def _listed(packages: Packages | None) -> Distribution | None:
    if packages is None:
        return None
    return packages.find("torch") or packages.find("pytorch")


def _conda(packages: Packages | None, version: str) -> str:
    """The build string of conda's record, when it is of this very version."""
    for entry in packages.entries if packages else ():
        same = entry.version.partition("+")[0] == version
        if entry.name in {"pytorch", "torch"} and entry.build and same:
            return entry.build
    return ""


def _backend(block: Block, local: str, conda: str) -> _Backend:
    """What it was built for: as the text says, else as names and lists tell."""
    rocm = _ROCM.match(local)
    hip = values.number(block.said("hip")) or (rocm[1].strip(".") if rocm else "")
    xpu = values.number(block.said("xpu")) or (_UNKNOWN if local == "xpu" else "")
    said = block.said("cuda")
    if hip or xpu:
        return _Backend(hip=hip, xpu=xpu)
    if values.number(said):
        return _Backend(cuda=values.number(said))
    if said is not None and said.upper() != "N/A":
        return _Backend()
    return _by_name(local, conda) or _by_list(block.fields.get("built", []))


def _by_name(local: str, conda: str) -> _Backend | None:
    tag = _TAG.search(local)
    if tag:
        return _Backend(cuda=f"{tag[1][:-1]}.{tag[1][-1]}")
    if local == "cpu" or re.search(r"(?:^|_)cpu(?:_|$)", conda):
        return _Backend()
    match = _CONDA_CUDA.search(conda)
    if match is None:
        return None
    return _Backend(cuda=f"{match[1] or match[3]}.{match[2] or match[4]}")


def _by_list(built: list[str]) -> _Backend:
    """Read torch.__config__.show(): a list that names no runtime is a CPU build's."""
    text = " ".join(built)
    match = _RUNTIME.search(text)
    if match and match[0].startswith("HIP"):
        return _Backend(hip=match[1])
    if match:
        return _Backend(cuda=match[1])
    return _Backend(known="Build settings" in text)


def _location(said: str) -> str:
    match = _PATH.search(said)
    return (match[1] or match[2])[:300] if match else ""
