"""What collectors call their fields; one key for each, whoever prints it."""

import re
from collections.abc import Iterator

COLLECTOR_LABELS = {
    "pytorch version": "torch",
    "is debug build": "debug",
    "cuda used to build pytorch": "cuda",
    "rocm used to build pytorch": "hip",
    "xpu used to build pytorch": "xpu",
    "is cuda available": "available",
    "is cuda available (pytorch)": "available",
    "is xpu available": "xpu_available",
    "cuda runtime version": "runtime",
    "cuda_module_loading set to": "loading",
    "gpu models and configuration": "gpus",
    "nvidia driver version": "driver",
    "cudnn version": "cudnn",
    "hip runtime version": "hip_runtime",
    "miopen runtime version": "miopen",
    "is xnnpack available": "xnnpack",
    "versions of relevant libraries": "libraries",
    "sys.platform": "sys_platform",
    "torch install path": "torch_path",
    "torch cuda version": "cuda",
    "torch hip version": "hip",
    "pytorch compiling details": "built",
    "pytorch built with": "built",
}
"""Nobody writes these but a collector."""

ORDINARY_LABELS = {
    "pytorch": "torch",
    "torch version": "torch",
    "pytorch debug build": "debug",
    "os": "os",
    "libc version": "libc",
    "python version": "python",
    "python": "python",
    "python platform": "platform",
    "platform": "platform",
    "cuda available": "available",
    "gpu available": "available",
    "driver version": "driver",
    "nvcc": "nvcc",
    "nvcc version": "nvcc",
    "cuda compiler": "nvcc",
    "cuda_home": "CUDA_HOME",
    "numpy": "package:numpy",
    "pillow": "package:pillow",
    "torchvision": "package:torchvision",
    "torchvision version": "package:torchvision",
    "torchaudio version": "package:torchaudio",
    "torchaudio": "package:torchaudio",
    "opencv": "opencv",
    "deepspeed info": "package:deepspeed",
    "shared memory (/dev/shm) size": "shm",
    "gcc version": "gcc",
    "gcc": "gcc",
    "msvc": "gcc",
    "compiler": "gcc",
    "clang version": "clang",
    "cmake version": "cmake",
    "cpu": "cpu",
    "cpu info": "cpu",
    "caching allocator config": "allocator",
    "gpu topology": "topology",
    "nccl version": "nccl",
    "rocm version": "rocm",
    "tensorflow version": "tensorflow",
    "intel gpu driver version": "intel",
    "intel gpu models onboard": "intel",
    "intel gpu models detected": "intel",
    "intel gpu models": "intel",
    "vllm version": "vllm",
    "vllm build flags": "vllm",
    "environment variables": "environment",
    "detectron2": "detectron2",
    "mmcv": "mmcv",
    "fvcore": "fvcore",
}
"""Words that stand in ordinary sentences too."""

LABEL_KEYS = {**ORDINARY_LABELS, **COLLECTOR_LABELS}

_MAX_LABEL = 80
"""Characters of a label, more than any has."""

_LABEL_HINT = re.compile(r"\(e\.g\.[^)]*\)|\(GPU\?\)|\(\$cxx\)", re.IGNORECASE)
_DOTS = re.compile(r"\s?\.{2,}\s?")
_COLUMNS = re.compile(r"\s{2,}")
_GLUED_FIELD = re.compile(
    r"(?<![\w(])(?=(?:"
    + "|".join(
        re.escape(label).replace(r"\ ", " +")
        for label in COLLECTOR_LABELS
        if label not in {"sys.platform", "torch install path", "pytorch built with"}
    )
    + r") *:)|(?<=\s)(?=\[(?:pip3?|conda|uv)\] )|(?<=\s)(?=GPU \d+(?:,\d+)*: )"
    r"|(?<=\w )(?=OS: )",
    re.IGNORECASE,
)


def split_glued_fields(text: str) -> str:
    """Begin a new line before every field, for texts that lost their newlines."""
    return _GLUED_FIELD.sub("\n", text)


def parse_field(line: str) -> tuple[str, str] | None:
    """Split ``label: value``, ``label   value`` and ``label .... value``."""
    for label, value in _split_label(line):
        key = LABEL_KEYS.get(_normalize_label(label))
        if key:
            return key, value.strip()
    key = LABEL_KEYS.get(_normalize_label(line))
    return (key, "") if key in {"cpu", "environment", "libraries"} else None


def is_collector_label(line: str) -> bool:
    """Would only a collector write this label?"""
    return any(_normalize_label(label) in COLLECTOR_LABELS for label, _ in _split_label(line))


def _split_label(line: str) -> Iterator[tuple[str, str]]:
    label, colon, value = line.partition(":")
    if colon:
        yield label, value
    for separator in (_COLUMNS, _DOTS):
        label, *rest = separator.split(line, maxsplit=1)
        if rest:
            yield label, rest[0]


def _normalize_label(label: str) -> str:
    short = len(label) < _MAX_LABEL
    return " ".join(_LABEL_HINT.sub("", label).lower().split()) if short else ""
