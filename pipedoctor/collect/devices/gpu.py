"""Ask the NVIDIA driver's library (NVML) for driver and devices; it may hang."""

import importlib
from pathlib import Path
from typing import Any

from pipedoctor.collect.devices.gpu_device import (
    GPU_IS_LOST,
    NvmlQueries,
    decode_text,
    read_device,
)
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Gpu, UnreadableError
from pipedoctor.facts.applicability import NO_LIBRARY
from pipedoctor.runtime.lanes import Announce

NVML_LIBRARY = "libnvidia-ml.so.1"
DRIVER_DEVICES = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu")
"""One of these is there where a driver may be slow, or hang: it gets its own lane."""


def gpu(machine: Machine, announce: Announce) -> Gpu:
    """
    Driver, its CUDA and devices; each call is announced, for any may hang.

    No driver library: Unreadable. An error of NVML is a fact with its number.
    """
    machine.require_linux()
    announce(f"dlopen {NVML_LIBRARY}")
    library = _load_library()
    nvml = _import_pynvml()
    try:
        _init_nvml(library, nvml, announce)
    except nvml.NVMLError as error:
        return Gpu(error=str(error), error_code=error.value)
    return _query_driver(nvml, announce, machine.root / "sys")


def _load_library() -> Any:
    """Load the library with ctypes: where there is none, cheaper than pynvml."""
    import ctypes  # noqa: PLC0415  (needed nowhere else)

    try:
        return ctypes.CDLL(NVML_LIBRARY)
    except OSError as error:
        absent = "cannot open shared object file: No such file" in str(error)
        message = NO_LIBRARY if absent else str(error)
        raise UnreadableError(message) from error


def _init_nvml(library: Any, nvml: Any, announce: Announce) -> None:
    """
    Initialize NVML by the call that torch makes, then the binding, which makes another.

    NVML counts them; a library may lack one of the two, not both.
    """
    first = getattr(library, "nvmlInit_v2", None)
    if first is not None:
        announce("nvmlInit_v2")
        if code := first():
            raise nvml.NVMLError(code)
    announce("nvmlInitWithFlags")
    try:
        nvml.nvmlInit()
    except nvml.NVMLError_FunctionNotFound:
        if first is None:
            raise


def _import_pynvml() -> Any:
    try:
        return importlib.import_module("pynvml")
    except ImportError as error:
        message = f"pynvml cannot be imported: {error}"
        raise UnreadableError(message) from error


def _query_driver(nvml: Any, announce: Announce, sysfs: Path) -> Gpu:
    """Driver and devices; a lost GPU is an error, and does not hide the others."""
    system = NvmlQueries(nvml, announce)
    driver = decode_text(system.query("driver", "nvmlSystemGetDriverVersion"))
    cuda = _format_cuda_version(system.query("cuda", "nvmlSystemGetCudaDriverVersion_v2"))
    count = system.query("devices", "nvmlDeviceGetCount") or 0
    devices = tuple(read_device(nvml, announce, index, sysfs) for index in range(count))
    lost = any(device.lost for device in devices)
    return Gpu(
        driver=driver,
        cuda=cuda,
        devices=devices,
        error=str(nvml.NVMLError(GPU_IS_LOST)) if lost else system.unknown.get("devices", ""),
        error_code=GPU_IS_LOST if lost else None,
    )


def _format_cuda_version(number: int | None) -> str:
    """NVML writes 13.0 as 13000."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""
