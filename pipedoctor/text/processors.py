"""The processors that `lscpu` told of; labels in other languages are passed over."""

import re

from pipedoctor.facts import Cpu, NumaNode
from pipedoctor.facts.cpu import TELLING
from pipedoctor.text import values
from pipedoctor.text.block import Block

_COUNT = re.compile(r"(?:CPU\(s\)|CPU|CPUs)\s*:\s*(\d{1,6})$")
_NODE = re.compile(r"NUMA node(\d{1,4}) CPU\(s\):\s*([\d,-]{1,400})$")
_MHZ = 1_000_000


def cpu(block: Block) -> Cpu | None:
    """None where nobody says how many there are."""
    counts = [match for line in block.cpu if (match := _COUNT.match(line))]
    if not counts or not int(counts[0][1]):
        return None
    rows = {label.strip(): value.strip() for label, value in _pairs(block.cpu)}
    flags = frozenset(rows.get("Flags", "").split())
    cores, sockets = rows.get("Core(s) per socket"), rows.get("Socket(s)")
    fastest = values.number(rows.get("CPU max MHz"))
    return Cpu(
        logical=int(counts[0][1]),
        physical=_product(cores, sockets),
        model=rows.get("Model name", "")[:100],
        online_list=_as_the_kernel(rows.get("On-line CPU(s) list", "")[:200]),
        max_frequency=int(float(fastest) * _MHZ) if fastest.count(".") == 1 else None,
        numa=tuple(_nodes(block.cpu)),
        quota_unknown="not in this text",
        flags=tuple(flag for flag in TELLING if flag in flags),
    )


def _pairs(lines: list[str]) -> list[tuple[str, str]]:
    return [(a, b) for a, colon, b in (line.partition(":") for line in lines) if colon]


def _as_the_kernel(listed: str) -> str:
    """Two neighbours, which lscpu writes ``0,1``, as ``0-1``."""
    parts: list[str] = []
    for part in listed.split(","):
        last = parts[-1] if parts else ""
        if last.isdecimal() and part.isdecimal() and int(last) + 1 == int(part):
            parts[-1] = f"{last}-{part}"
        else:
            parts.append(part)
    return ",".join(parts)


def _product(cores: str | None, sockets: str | None) -> int | None:
    if not (cores or "").isdecimal() or not (sockets or "").isdecimal():
        return None
    return int((cores or "")[:6]) * int((sockets or "")[:6]) or None


def _nodes(lines: list[str]) -> list[NumaNode]:
    found = (match for line in lines if (match := _NODE.match(line)))
    return [NumaNode(node=int(m[1]), cpus=_size(m[2])) for m in found]


def _size(ranges: str) -> int:
    """Count ``0-15,32-47``."""
    total = 0
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            total += max(0, int(last or first) - int(first) + 1)
    return total
