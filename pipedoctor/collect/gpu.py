"""Ask the NVIDIA driver's library (NVML) for driver and devices; it may hang."""

import importlib
from pathlib import Path
from typing import Any

from pipedoctor.collect.gpu_device import LOST, Questions, describe, text
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Gpu, Unreadable

LIBRARY = "libnvidia-ml.so.1"


def gpu(machine: Machine, announce: Announce) -> Gpu:
    """
    Driver, its CUDA and devices; each call is announced, for any may hang.

    No driver library: Unreadable. An error of NVML is a fact with its number.
    """
    machine.linux()
    announce(f"dlopen {LIBRARY}")
    library = _library()
    nvml = _binding()
    try:
        _init(library, nvml, announce)
    except nvml.NVMLError as error:
        return Gpu(error=str(error), error_code=error.value)
    return _describe(nvml, announce, machine.root / "sys")


def _library() -> Any:
    """Load it as any program would: cheaper than the binding, where there is none."""
    import ctypes  # noqa: PLC0415  (needed nowhere else)

    try:
        return ctypes.CDLL(LIBRARY)
    except OSError as error:
        absent = "cannot open shared object file: No such file" in str(error)
        message = f"{LIBRARY} not found" if absent else str(error)
        raise Unreadable(message) from error


def _init(library: Any, nvml: Any, announce: Announce) -> None:
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


def _binding() -> Any:
    try:
        return importlib.import_module("pynvml")
    except ImportError as error:
        message = f"pynvml cannot be imported: {error}"
        raise Unreadable(message) from error


def _describe(nvml: Any, announce: Announce, sysfs: Path) -> Gpu:
    """Driver and devices; a lost GPU is an error, and does not hide the others."""
    system = Questions(nvml, announce)
    driver = text(system.ask("driver", "nvmlSystemGetDriverVersion"))
    cuda = _version(system.ask("cuda", "nvmlSystemGetCudaDriverVersion_v2"))
    count = system.ask("devices", "nvmlDeviceGetCount") or 0
    devices = tuple(describe(nvml, announce, index, sysfs) for index in range(count))
    lost = any(device.lost for device in devices)
    return Gpu(
        driver=driver,
        cuda=cuda,
        devices=devices,
        error=str(nvml.NVMLError(LOST)) if lost else system.unknown.get("devices", ""),
        error_code=LOST if lost else None,
    )


def _version(number: int | None) -> str:
    """NVML writes 13.0 as 13000."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""
