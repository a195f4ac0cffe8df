"""What `nvidia-smi -q -x` says, under the names that our facts have for it."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MIB = 1 << 20
_NO_ANSWER = ("N/A", "[N/A]", "Not Supported", "Unknown Error", "Insufficient Permissions", "")
_EVENT_REASONS = {
    "gpu_idle": "idle",
    "applications_clocks_setting": "application clocks",
    "sw_power_cap": "software power cap",
    "hw_slowdown": "hardware slowdown",
    "sync_boost": "sync boost",
    "sw_thermal_slowdown": "software thermal slowdown",
    "hw_thermal_slowdown": "hardware thermal slowdown",
    "hw_power_brake_slowdown": "hardware power brake",
    "display_clocks_setting": "display clocks",
}
MOVING = {"throttled", "utilisation", "pstate", "temperature", "pcie_generation", "pcie_width"}
"""Fields that may change between two readings."""
NOT_IN_XML = {"capability", "numa_node"}
"""Asked elsewhere: `--query-gpu=compute_cap`, and /sys."""


@dataclass(frozen=True)
class SmiGpu:
    """One GPU; None: not supported, or not said."""

    address: str
    fields: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class SmiLog:
    """The driver and its GPUs."""

    driver: str
    cuda: str
    gpus: tuple[SmiGpu, ...]


def parse_xml(text: str) -> SmiLog:
    """Read it; raises ValueError with a reason."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        message = f"nvidia-smi printed no XML: {error}"
        raise ValueError(message) from None
    return SmiLog(
        driver=_read(root, "driver_version") or "",
        cuda=_read(root, "cuda_version") or "",
        gpus=tuple(
            SmiGpu(address=gpu.get("id", ""), fields={k: get(gpu) for k, get in FIELDS.items()})
            for gpu in root.iter("gpu")
        ),
    )


def read_numa_node(address: str, sysfs: Path = Path("/sys")) -> int | None:
    """What the kernel says of the device that nvidia-smi calls ``00000000:3B:00.0``."""
    domain, _, rest = address.lower().partition(":")
    try:
        text = (sysfs / f"bus/pci/devices/{domain[-4:]}:{rest}/numa_node").read_text("utf-8")
        return int(text) if int(text) >= 0 else None
    except (OSError, ValueError):
        return None


def _read(node: ET.Element, *paths: str) -> str | None:
    """The first of these elements that says something."""
    for path in paths:
        found = node.find(path)
        text = (found.text or "").strip() if found is not None else ""
        if text not in _NO_ANSWER and not text.startswith("Requested functionality"):
            return text
    return None


def _read_number(node: ET.Element, *paths: str) -> int | None:
    """``81559 MiB``, ``16x``, ``0 %``, ``P0``: the number in it."""
    text = _read(node, *paths)
    digits = "".join(c for c in text.split()[0] if c.isdigit()) if text else ""
    return int(digits) if digits else None


def _read_flag(node: ET.Element, *paths: str) -> bool | None:
    text = _read(node, *paths)
    return None if text is None else text in {"Enabled", "Yes", "Active"}


def _read_memory(node: ET.Element) -> int | None:
    size = _read_number(node, "fb_memory_usage/total")
    return None if size is None else size * _MIB


def _read_reasons(node: ET.Element) -> tuple[str, ...] | None:
    """Drivers before 535 call them throttle reasons."""
    for new in ("event", "throttle"):
        group = node.find(f"clocks_{new}_reasons")
        if group is None:
            continue
        states = {
            word: _read(group, f"clocks_{new}_reason_{tag}") for tag, word in _EVENT_REASONS.items()
        }
        if any(states.values()):
            return tuple(word for word, state in states.items() if state == "Active")
    return None


def _read_uncorrected(node: ET.Element) -> int | None:
    """Hopper counts its SRAM's errors by kind; older cards have one total."""
    volatile = node.find("ecc_errors/volatile")
    if volatile is None:
        return None
    double = _read_number(volatile, "double_bit/total")
    if double is not None:
        return double
    names = [child.tag for child in volatile if "uncorrectable" in child.tag]
    numbers = [_read_number(volatile, name) for name in names]
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


_LINK = "pci/pci_gpu_link_info"
FIELDS: dict[str, Callable[[ET.Element], Any]] = {
    "name": lambda gpu: _read(gpu, "product_name"),
    "memory": _read_memory,
    "uuid": lambda gpu: _read(gpu, "uuid"),
    "pcie_generation": lambda gpu: _read_number(gpu, f"{_LINK}/pcie_gen/current_link_gen"),
    "pcie_generation_max": lambda gpu: _read_number(gpu, f"{_LINK}/pcie_gen/max_link_gen"),
    "pcie_width": lambda gpu: _read_number(gpu, f"{_LINK}/link_widths/current_link_width"),
    "pcie_width_max": lambda gpu: _read_number(gpu, f"{_LINK}/link_widths/max_link_width"),
    "persistence": lambda gpu: _read_flag(gpu, "persistence_mode"),
    "throttled": _read_reasons,
    "utilisation": lambda gpu: _read_number(gpu, "utilization/gpu_util"),
    "pstate": lambda gpu: _read_number(gpu, "performance_state"),
    "ecc_uncorrected": _read_uncorrected,
    "remap_pending": lambda gpu: _read_flag(gpu, "remapped_rows/remapped_row_pending"),
    "remap_failed": lambda gpu: _read_flag(gpu, "remapped_rows/remapped_row_failure"),
    "mig": lambda gpu: _read_flag(gpu, "mig_mode/current_mig"),
    "temperature": lambda gpu: _read_number(gpu, "temperature/gpu_temp"),
}
"""Field of our facts -> how the XML says it."""
LIVE_FIELDS: dict[str, Callable[[ET.Element], float | None]] = {
    "power": lambda gpu: _read_float(
        gpu, "gpu_power_readings/instant_power_draw", "gpu_power_readings/power_draw"
    ),
    "clock": lambda gpu: _scale(_read_number(gpu, "clocks/sm_clock"), 1e6),
    "memory": lambda gpu: _scale(_read_number(gpu, "fb_memory_usage/used"), _MIB),
}
"""The same of what `watch` reads."""


def _read_float(node: ET.Element, *paths: str) -> float | None:
    text = _read(node, *paths)
    return float(text.split()[0]) if text else None


def _scale(value: int | None, factor: float) -> float | None:
    return None if value is None else value * factor


def parse_live(text: str) -> list[dict[str, float | None]]:
    """Power, clock and used memory of every GPU; raises ValueError."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        message = f"nvidia-smi printed no XML: {error}"
        raise ValueError(message) from None
    return [{k: get(gpu) for k, get in LIVE_FIELDS.items()} for gpu in root.iter("gpu")]
