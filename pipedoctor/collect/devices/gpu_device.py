"""What NVML says of one GPU: field by field, for no card answers everything."""

from pathlib import Path
from typing import Any

from pipedoctor.collect.machine import read_int
from pipedoctor.facts import Device
from pipedoctor.runtime.lanes import Announce

GPU_IS_LOST = 15
"""NVML_ERROR_GPU_IS_LOST."""

UNKNOWN_TO_DRIVER = "this driver does not know the call"
UNKNOWN_TO_BINDING = "pynvml does not know the call"
UNANSWERED_REASONS = {
    3: "this card does not support it",
    4: "no permission",
    13: UNKNOWN_TO_DRIVER,
    25: UNKNOWN_TO_DRIVER,
}
"""By number of NVML's error; 25 is a version of a structure that it does not know."""
UNKNOWN_CALL_REASONS = (UNKNOWN_TO_DRIVER, UNKNOWN_TO_BINDING)
UNCORRECTED_ERRORS, VOLATILE_ECC = 1, 0
"""NVML_MEMORY_ERROR_TYPE_UNCORRECTED and NVML_VOLATILE_ECC."""
THROTTLE_REASONS = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
    0x100: "display clocks",
}


class NvmlQueries:
    """NVML calls about one device; `unknown` has the reason where one failed."""

    def __init__(self, nvml: Any, announce: Announce) -> None:
        self.nvml = nvml
        self.announce = announce
        self.unknown: dict[str, str] = {}

    def query(self, field: str, name: str, *args: object) -> Any:
        """Call NVML; where it fails, None and a reason. A lost GPU raises."""
        self.announce(name)
        call = getattr(self.nvml, name, None)
        if call is None:
            self.unknown[field] = UNKNOWN_TO_BINDING
            return None
        try:
            return call(*args)
        except self.nvml.NVMLError as error:
            if error.value == GPU_IS_LOST:
                raise
            self.unknown[field] = UNANSWERED_REASONS.get(error.value, str(error))
            return None

    def query_first(self, field: str, *calls: tuple[Any, ...]) -> Any:
        """The answer of the first call that binding and driver know: name, arguments."""
        for name, *arguments in calls:
            self.unknown.pop(field, None)
            answer = self.query(field, name, *arguments)
            if self.unknown.get(field) not in UNKNOWN_CALL_REASONS:
                return answer
        return None

    def query_throttle_reasons(self, handle: Any) -> int | None:
        """Bits of `THROTTLE_REASONS`; drivers before 535 have the older name alone."""
        bits: int | None = self.query_first(
            "throttled",
            ("nvmlDeviceGetCurrentClocksEventReasons", handle),
            ("nvmlDeviceGetCurrentClocksThrottleReasons", handle),
        )
        return bits

    def query_memory(self, handle: Any) -> Any:
        """
        Memory, total and used.

        The first version counts what the driver reserves as used, nvidia-smi does not.
        """
        version = getattr(self.nvml, "nvmlMemory_v2", None)
        newer = [("nvmlDeviceGetMemoryInfo", handle, version)] if version else []
        return self.query_first("memory", *newer, ("nvmlDeviceGetMemoryInfo", handle))


def read_device(nvml: Any, announce: Announce, index: int, sysfs: Path) -> Device:
    """Everything that is asked of the GPU with this index; `sysfs` is /sys."""
    questions = NvmlQueries(nvml, announce)
    try:
        handle = questions.query("handle", "nvmlDeviceGetHandleByIndex", index)
        if handle is None:
            return Device(index=index, unknown=questions.unknown)
        return _query_device(questions, handle, index, sysfs)
    except nvml.NVMLError:
        return Device(index=index, lost=True)


def _query_device(questions: NvmlQueries, handle: Any, index: int, sysfs: Path) -> Device:
    def ask(field: str, name: str, *args: object) -> Any:
        return questions.query(field, f"nvmlDeviceGet{name}", handle, *args)

    memory = questions.query_memory(handle)
    capability = ask("capability", "CudaComputeCapability")
    rows = ask("remapped_rows", "RemappedRows")
    mig = ask("mig", "MigMode")
    use = ask("utilisation", "UtilizationRates")
    return Device(
        index=index,
        name=decode_text(ask("name", "Name")),
        memory=memory.total if memory else None,
        capability="{}.{}".format(*capability) if capability else "",
        uuid=decode_text(ask("uuid", "UUID")),
        pcie_generation=ask("pcie_generation", "CurrPcieLinkGeneration"),
        pcie_generation_max=ask("pcie_generation_max", "MaxPcieLinkGeneration"),
        pcie_width=ask("pcie_width", "CurrPcieLinkWidth"),
        pcie_width_max=ask("pcie_width_max", "MaxPcieLinkWidth"),
        persistence=_to_bool(ask("persistence", "PersistenceMode")),
        throttled=_name_throttle_reasons(questions.query_throttle_reasons(handle)),
        utilisation=use.gpu if use else None,
        pstate=ask("pstate", "PerformanceState"),
        ecc_uncorrected=ask("ecc_uncorrected", "TotalEccErrors", UNCORRECTED_ERRORS, VOLATILE_ECC),
        remap_pending=bool(rows[2]) if rows else None,
        remap_failed=bool(rows[3]) if rows else None,
        mig=bool(mig[0]) if mig else None,
        numa_node=_read_numa_node(ask("numa_node", "PciInfo"), sysfs),
        temperature=ask("temperature", "Temperature", 0),
        unknown=questions.unknown,
    )


def decode_text(value: str | bytes | None) -> str:
    """Older bindings answer in bytes."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""


def _to_bool(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def _name_throttle_reasons(bits: int | None) -> tuple[str, ...] | None:
    if bits is None:
        return None
    return tuple(word for bit, word in THROTTLE_REASONS.items() if bits & bit)


def _read_numa_node(place: Any, sysfs: Path) -> int | None:
    """The memory node that the card hangs on; the kernel writes -1 for none."""
    if place is None:
        return None
    address = decode_text(place.busId).lower()[-12:]  # NVML's domain has eight digits
    node = read_int(sysfs / "bus/pci/devices" / address / "numa_node")
    return node if node is not None and node >= 0 else None
