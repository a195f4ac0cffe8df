"""The torch of a text: its build, and what happened when it was imported."""

import re
from dataclasses import dataclass

from pipedoctor.facts import Distribution, Packages, TorchBuild, TorchImport
from pipedoctor.text import values
from pipedoctor.text.block import EnvironmentBlock

_CUDA_TAG = re.compile(r"(?:^|\.)cu(\d{2,4})(?:\.|$)")
_CONDA_CUDA = re.compile(r"cuda(\d+)\.(\d+)(?:\.\d+)*|cuda(\d+)(\d)(?=py|_|$)")
_ROCM_TAG = re.compile(r"rocm([\d.]+)")
_RUNTIME_VERSION = re.compile(r"(?:CUDA|HIP) Runtime (\d+\.\d+)")
_ARCH_CODE = re.compile(r"code=((?:sm|compute)_\d+[a-z]?)")
_CUDNN_VERSION = re.compile(r"CuDNN (\d+(?:\.\d+)+)")
_INSTALL_PATH = re.compile(r"@\s?(\S+)|\['?([^'\]]+)'?\]")
_UNKNOWN_VERSION = "unknown version"


@dataclass(frozen=True, kw_only=True)
class _TorchBackend:
    cuda: str = ""
    hip: str = ""
    xpu: str = ""
    known: bool = True


def read_torch_build(block: EnvironmentBlock, packages: Packages | None) -> TorchBuild | None:
    """The torch that is imported; where its line is cut off, the one that is listed."""
    field = block.get_value("torch")
    version, local = values.split_local_version(field)
    if not version:
        if field is not None and values.is_absent(field):
            return None
        listed = _find_listed_torch(packages)
        version, local = values.split_local_version(listed.version if listed else "")
        if not version:
            return None
    conda = _find_conda_build(packages, version)
    backend = _detect_backend(block, local, conda)
    built = " ".join(block.fields.get("built", ()))
    cudnn = _CUDNN_VERSION.search(built)
    codes = tuple(dict.fromkeys(_ARCH_CODE.findall(built)))
    return TorchBuild(
        version=version,
        local=local,
        cuda=backend.cuda,
        hip=backend.hip,
        xpu=backend.xpu,
        known_backend=backend.known,
        debug=bool(values.parse_yes_no(block.get_value("debug"))),
        location=_parse_location(f"{field or ''} {block.get_value('torch_path') or ''}"),
        origin="text",
        conda_build=conda,
        arch_list=codes or None,
        cudnn=cudnn[1] if cudnn else "",
    )


def read_torch_import(block: EnvironmentBlock) -> TorchImport | None:
    """What the collector saw when it imported torch; None: the text does not tell."""
    field = block.get_value("torch")
    version, local = values.split_local_version(field)
    failed = field is not None and not version and field.upper().startswith("N/A")
    if field is None and "available" not in block.fields and not block.warnings:
        return None
    numpy = any("NumPy" in line or "_ARRAY_API" in line for line in block.warnings)
    return TorchImport(
        ok=not failed,
        version=f"{version}+{local}" if local else version,
        error=_describe_error(block) if failed else "",
        warnings=tuple(block.warnings[:20]),
        cuda_available=_read_available(block),
        numpy_ok=False if numpy else None,
    )


def _describe_error(block: EnvironmentBlock) -> str:
    """A collector for two frameworks may well find only the other one."""
    other = values.split_local_version(block.get_value("tensorflow"))[0]
    field = "PyTorch version: N/A"
    return f"No module named 'torch': {field}" if other else field


def _read_available(block: EnvironmentBlock) -> bool | None:
    also = re.search(r"\((True|False)\)", block.get_value("torch") or "")
    field = block.get_value("available")
    return values.parse_yes_no(field if field is not None else (also[1] if also else None))


def _find_listed_torch(packages: Packages | None) -> Distribution | None:
    if packages is None:
        return None
    return packages.find("torch") or packages.find("pytorch")


def _find_conda_build(packages: Packages | None, version: str) -> str:
    """The build string of conda's record, when it is of this very version."""
    for entry in packages.entries if packages else ():
        same = entry.version.partition("+")[0] == version
        if entry.name in {"pytorch", "torch"} and entry.build and same:
            return entry.build
    return ""


def _detect_backend(block: EnvironmentBlock, local: str, conda: str) -> _TorchBackend:
    """What it was built for: as the text says, else as names and lists tell."""
    rocm = _ROCM_TAG.match(local)
    hip = values.parse_number(block.get_value("hip")) or (rocm[1].strip(".") if rocm else "")
    xpu = values.parse_number(block.get_value("xpu")) or (
        _UNKNOWN_VERSION if local == "xpu" else ""
    )
    field = block.get_value("cuda")
    if hip or xpu:
        return _TorchBackend(hip=hip, xpu=xpu)
    if values.parse_number(field):
        return _TorchBackend(cuda=values.parse_number(field))
    if field is not None and field.upper() != "N/A":
        return _TorchBackend()
    return _detect_by_name(local, conda) or _detect_by_list(block.fields.get("built", []))


def _detect_by_name(local: str, conda: str) -> _TorchBackend | None:
    tag = _CUDA_TAG.search(local)
    if tag:
        return _TorchBackend(cuda=f"{tag[1][:-1]}.{tag[1][-1]}")
    if local == "cpu" or re.search(r"(?:^|_)cpu(?:_|$)", conda):
        return _TorchBackend()
    match = _CONDA_CUDA.search(conda)
    if match is None:
        return None
    return _TorchBackend(cuda=f"{match[1] or match[3]}.{match[2] or match[4]}")


def _detect_by_list(settings: list[str]) -> _TorchBackend:
    """Read torch.__config__.show(): a list that names no runtime is a CPU build's."""
    text = " ".join(settings)
    match = _RUNTIME_VERSION.search(text)
    if match and match[0].startswith("HIP"):
        return _TorchBackend(hip=match[1])
    if match:
        return _TorchBackend(cuda=match[1])
    return _TorchBackend(known="Build settings" in text)


def _parse_location(field: str) -> str:
    match = _INSTALL_PATH.search(field)
    return (match[1] or match[2])[:300] if match else ""
