"""Nodes by kind of hardware: the model of their GPUs, as the PCI bus has it."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pipedoctor.fleet.ingest import NodeReport

NO_GPU = "no GPU"


def group_nodes(nodes: Sequence[NodeReport]) -> dict[str, list[NodeReport]]:
    """
    Nodes by the name of their group, the largest group first.

    Neither the number of GPUs that answer nor a driver decides it: the ids on the bus
    stay when those are gone. Where only names of GPUs are known, a node joins those
    with the same names whose ids are known.
    """
    ids = _map_names_to_ids(nodes)
    kinds: dict[tuple[str, ...], list[NodeReport]] = defaultdict(list)
    for node in nodes:
        hardware = node.report.hardware
        kinds[ids.get(hardware, hardware)].append(node)
    named: dict[str, list[NodeReport]] = {}
    for hardware, members in sorted(kinds.items(), key=lambda kind: -len(kind[1])):
        name = _name_group(hardware, members)
        if name in named:
            name = f"{name} ({', '.join(hardware)})"
        named[name] = members
    return named


def get_section_values(node: NodeReport, section: str) -> Mapping[str, Any]:
    """Compared properties of one section of a node."""
    return dict(node.report.rows.get(section, ()))


def _map_names_to_ids(nodes: Sequence[NodeReport]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """By names of GPUs: the PCI ids that most nodes with these names have."""
    seen: dict[tuple[str, ...], Counter[tuple[str, ...]]] = defaultdict(Counter)
    for node in nodes:
        hardware = node.report.hardware
        if hardware and ":" in hardware[0]:
            name = get_section_values(node, "gpu").get("gpu.name")
            if name:
                seen[tuple(name.split(", "))][hardware] += 1
    return {names: count.most_common(1)[0][0] for names, count in seen.items()}


def _name_group(hardware: tuple[str, ...], members: Sequence[NodeReport]) -> str:
    """``8 x NVIDIA H100 80GB HBM3``: what most of them have."""
    if not hardware:
        return NO_GPU
    counts: Counter[int] = Counter()
    names: Counter[str] = Counter()
    for node in members:
        gpu = get_section_values(node, "gpu")
        if gpu.get("gpu.name"):
            names[gpu["gpu.name"]] += 1
            counts[gpu["gpu.count"]] += 1
    if not names:
        return f"GPU {', '.join(hardware)}"
    return f"{counts.most_common(1)[0][0]} x {names.most_common(1)[0][0]}"
