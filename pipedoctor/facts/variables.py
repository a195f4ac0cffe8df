"""Environment variables that decide what is loaded and seen: an allow-list."""

from typing import ClassVar

from pipedoctor.facts.base import Fact

COLLECTED_VARIABLES = (
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "CUDA_DEVICE_ORDER",
    "CUDA_HOME",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "KMP_DUPLICATE_LIB_OK",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MKL_THREADING_LAYER",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "PYTHONDEVMODE",
    "PYTHONHOME",
    "PYTHONMALLOC",
    "PYTHONNOUSERSITE",
    "PYTHONPATH",
    "PYTORCH_CUDA_ALLOC_CONF",
    "ROCR_VISIBLE_DEVICES",
    "TORCH_DISTRIBUTED_DEBUG",
    "VIRTUAL_ENV",
)
"""What is read at all; nothing else of the environment reaches a report."""


class Variables(Fact, frozen=True, kw_only=True):
    """The allowed variables that are set, an empty value included."""

    section: ClassVar[str] = "variables"

    values: dict[str, str] = {}
