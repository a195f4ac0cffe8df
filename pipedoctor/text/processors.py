"""The processors that `lscpu` told of; labels in other languages are passed over."""

import re

from pipedoctor.facts import Cpu, NumaNode
from pipedoctor.facts.cpu import INSTRUCTION_SETS
from pipedoctor.text import values
from pipedoctor.text.block import EnvironmentBlock

_CPU_COUNT = re.compile(r"(?:CPU\(s\)|CPU|CPUs)\s*:\s*(\d{1,6})$")
_NUMA_NODE = re.compile(r"NUMA node(\d{1,4}) CPU\(s\):\s*([\d,-]{1,400})$")
_MHZ = 1_000_000


def read_cpu(block: EnvironmentBlock) -> Cpu | None:
    """
    The processors that lscpu lists.

    None where it does not say how many there are.
    """
    counts = [match for line in block.cpu if (match := _CPU_COUNT.match(line))]
    if not counts or not int(counts[0][1]):
        return None
    rows = {label.strip(): value.strip() for label, value in _split_pairs(block.cpu)}
    flags = frozenset(rows.get("Flags", "").split())
    cores, sockets = rows.get("Core(s) per socket"), rows.get("Socket(s)")
    fastest = values.parse_number(rows.get("CPU max MHz"))
    return Cpu(
        logical=int(counts[0][1]),
        physical=_multiply_counts(cores, sockets),
        model=rows.get("Model name", "")[:100],
        online_list=_merge_neighbours(rows.get("On-line CPU(s) list", "")[:200]),
        max_frequency=int(float(fastest) * _MHZ) if fastest.count(".") == 1 else None,
        numa=tuple(_read_nodes(block.cpu)),
        quota_unknown="not in this text",
        flags=tuple(flag for flag in INSTRUCTION_SETS if flag in flags),
    )


def _split_pairs(lines: list[str]) -> list[tuple[str, str]]:
    return [(a, b) for a, colon, b in (line.partition(":") for line in lines) if colon]


def _merge_neighbours(numbers: str) -> str:
    """Two neighbours, which lscpu writes ``0,1``, as ``0-1``."""
    parts: list[str] = []
    for part in numbers.split(","):
        last = parts[-1] if parts else ""
        if last.isdecimal() and part.isdecimal() and int(last) + 1 == int(part):
            parts[-1] = f"{last}-{part}"
        else:
            parts.append(part)
    return ",".join(parts)


def _multiply_counts(cores: str | None, sockets: str | None) -> int | None:
    if not (cores or "").isdecimal() or not (sockets or "").isdecimal():
        return None
    return int((cores or "")[:6]) * int((sockets or "")[:6]) or None


def _read_nodes(lines: list[str]) -> list[NumaNode]:
    found = (match for line in lines if (match := _NUMA_NODE.match(line)))
    return [NumaNode(node=int(m[1]), cpus=_count_cpus(m[2])) for m in found]


def _count_cpus(ranges: str) -> int:
    """Count ``0-15,32-47``."""
    total = 0
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            total += max(0, int(last or first) - int(first) + 1)
    return total
