"""Ask the NVIDIA driver's library (NVML) for driver and devices; it may hang."""

import importlib
from typing import Any

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Device, Gpu, Unreadable

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
    return _describe(nvml, announce)


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


def _describe(nvml: Any, announce: Announce) -> Gpu:
    def ask(name: str, *args: object) -> Any:
        """Call NVML; None where this driver or device does not say."""
        announce(name)
        try:
            return getattr(nvml, name)(*args)
        except nvml.NVMLError_NotSupported:
            return None
        except nvml.NVMLError_FunctionNotFound:
            return None

    driver = cuda = ""
    devices: list[Device] = []
    try:
        driver = _text(ask("nvmlSystemGetDriverVersion"))
        cuda = _version(ask("nvmlSystemGetCudaDriverVersion_v2"))
        for index in range(ask("nvmlDeviceGetCount") or 0):
            handle = ask("nvmlDeviceGetHandleByIndex", index)
            memory = ask("nvmlDeviceGetMemoryInfo", handle)
            capability = ask("nvmlDeviceGetCudaComputeCapability", handle)
            device = Device(
                index=index,
                name=_text(ask("nvmlDeviceGetName", handle)),
                memory=memory.total if memory else None,
                capability="{}.{}".format(*capability) if capability else "",
            )
            devices.append(device)
    except nvml.NVMLError as error:
        said, code = str(error), int(error.value)
        return Gpu(
            driver=driver,
            cuda=cuda,
            devices=tuple(devices),
            error=said,
            error_code=code,
        )
    return Gpu(driver=driver, cuda=cuda, devices=tuple(devices))


def _text(value: str | bytes | None) -> str:
    """Older bindings answer in bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""


def _version(number: int | None) -> str:
    """NVML writes 13.0 as 13000."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""
