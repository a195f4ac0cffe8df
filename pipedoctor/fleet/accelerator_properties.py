"""What is compared of GPUs: of several the count, the least and the worst."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pipedoctor.facts import Accelerators, Device, Gpu

HARDWARE_XIDS = frozenset((48, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120))
"""Those that a program's own mistakes do not cause."""
SLOWDOWNS = frozenset(
    (
        "hardware slowdown",
        "hardware thermal slowdown",
        "hardware power brake",
        "software thermal slowdown",
    )
)
"""Reasons of low clocks that say something against a card or its cooling."""
_AGGREGATES: Mapping[str, Callable[[list[Any]], Any]] = {
    "memory": min,
    "pcie_generation_max": min,
    "pcie_width": min,
    "pcie_width_max": min,
    "ecc_uncorrected": max,
    "remap_pending": any,
    "remap_failed": any,
    "persistence": all,
    "mig": any,
}
"""Of the GPUs of a node that is taken which tells most of its weakest."""


def list_gpu_properties(fact: Gpu) -> Iterator[tuple[str, Any]]:
    """Driver, number of GPUs that answer, and the least or worst of what they say."""
    yield "gpu.error", fact.error
    yield "gpu.hang", fact.hang is not None
    if fact.hang is not None:
        return
    if fact.driver:
        yield "gpu.driver", fact.driver
    if fact.cuda:
        yield "gpu.cuda", fact.cuda
    alive = [device for device in fact.devices if not device.lost]
    yield "gpu.count", len(alive)
    yield "gpu.lost", len(alive) < len(fact.devices)
    if alive:
        yield from _list_device_properties(alive)


def _list_device_properties(devices: list[Device]) -> Iterator[tuple[str, Any]]:
    for field in ("name", "capability"):
        texts = sorted({getattr(device, field) for device in devices} - {""})
        if texts:
            yield f"gpu.{field}", ", ".join(texts)
    for field, aggregate in _AGGREGATES.items():
        known = _read_field(devices, field)
        if known:
            yield f"gpu.{field}", aggregate(known)
    if reasons := _read_field(devices, "throttled"):
        words = {word for row in reasons for word in row} & SLOWDOWNS
        yield "gpu.throttled", ", ".join(sorted(words))


def _read_field(devices: list[Device], field: str) -> list[Any]:
    values = (getattr(device, field) for device in devices)
    return [value for value in values if value is not None]


def list_accelerator_properties(fact: Accelerators) -> Iterator[tuple[str, Any]]:
    """The bus, the kernel module and its device files."""
    if fact.pci is not None:
        yield "accelerators.pci", len(fact.nvidia_devices or fact.pci)
        bound = sorted({d.driver for d in fact.nvidia_devices if d.driver})
        if bound:
            yield "accelerators.driver", " ".join(bound)
    yield "accelerators.nvidia_module", fact.nvidia_module
    if fact.nvidia_nodes:
        yield "accelerators.nvidia_nodes", len(fact.nvidia_nodes)
    if fact.uvm_loaded is not None:
        yield "accelerators.uvm_loaded", fact.uvm_loaded
    yield "accelerators.unusable_nodes", len(fact.unusable_nodes)
    yield "accelerators.rocm", fact.rocm
    if fact.xids is not None:
        codes = sorted({x.code for x in fact.xids} & HARDWARE_XIDS)
        yield "accelerators.xids", ", ".join(map(str, codes))
    yield "accelerators.compat_libcuda", bool(fact.compat_libcuda)
    if fact.toolkit:
        yield "accelerators.toolkit", fact.toolkit
