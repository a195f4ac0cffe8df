"""Which version a library file is of, from names alone; a JPEG library says it."""

import os
import re
from pathlib import Path

from pipedoctor.runtime import regular_file

_VERSION_SUFFIX = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")
_WHEEL_BY_LIBRARY = {
    "libcublas": "cublas",
    "libcudart": "cuda_runtime",
    "libcudnn": "cudnn",
    "libcufft": "cufft",
    "libcupti": "cuda_cupti",
    "libcurand": "curand",
    "libcusolver": "cusolver",
    "libcusparse": "cusparse",
    "libcusparseLt": "cusparselt",
    "libnccl": "nccl",
    "libnvJitLink": "nvjitlink",
    "libnvrtc": "cuda_nvrtc",
}
"""NVIDIA's wheels by their libraries."""
_MAX_SCAN_BYTES = 4 << 20
_TURBO_TEXT = re.compile(rb"libjpeg-turbo version (\d+(?:\.\d+)+)")
_IJG_TEXT = re.compile(rb"Copyright \(C\) \d{4}, Thomas G\. Lane, Guido Vollbeding")


def find_version(path: Path) -> str:
    """``9.20.0``, or empty where no name tells."""
    real = Path(os.path.realpath(path))
    if match := _VERSION_SUFFIX.search(real.name):
        return match[1]
    site = next((p for p in path.parents if p.name.endswith("-packages")), None)
    return _find_wheel_version(site, path.name) if site is not None else ""


def _find_wheel_version(site: Path, name: str) -> str:
    """The version of the NVIDIA wheel that brings this library, when it is one."""
    stem = max((s for s in _WHEEL_BY_LIBRARY if name.startswith(s)), key=len, default="")
    if not stem:
        return ""
    pattern = rf"nvidia_{_WHEEL_BY_LIBRARY[stem]}(?:_cu\d+)?-(\d[^-]*)\.dist-info"
    named = (re.fullmatch(pattern, folder.name) for folder in site.glob("nvidia_*"))
    versions = {match[1] for match in named if match}
    return versions.pop() if len(versions) == 1 else ""


def identify_jpeg(path: Path) -> str:
    """``turbo 3.1.3``, ``IJG`` for the Independent JPEG Group's, or empty."""
    try:
        data = regular_file.read_start(path, _MAX_SCAN_BYTES)
    except OSError:
        return ""
    if match := _TURBO_TEXT.search(data):
        return f"turbo {match[1].decode()}"
    return "IJG" if _IJG_TEXT.search(data) else ""
