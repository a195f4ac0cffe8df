"""
Which packs of checks are installed: the entry-point group, read off the disk.

`importlib.metadata` finds the same, but its import alone costs a tenth of an
examination, and one unreadable distribution among hundreds makes it raise.
"""

import os
import sys
from collections.abc import Iterable, Iterator

import msgspec

from pipedoctor.runtime.regular_file import read_text

_MAX_ENTRY_POINTS_BYTES = 1 << 20
ENTRY_POINT_GROUP = "pipedoctor.checks"


class Pack(msgspec.Struct, frozen=True):
    """A distribution that brings checks: its name, and the package they are in."""

    label: str
    package: str


def find_packs(path: Iterable[str] | None = None) -> list[Pack]:
    """Every pack on `sys.path` (or this path); ours first, then by name."""
    seen: set[str] = set()
    packs: list[Pack] = []
    for folder in sys.path if path is None else path:
        for entry in _list_distributions(folder or "."):
            name = entry.partition("-")[0].removesuffix(".egg")
            known = name.lower().replace("_", "-").replace(".", "-")
            if known not in seen:  # a later one of this name is never imported
                seen.add(known)
                metadata = f"{folder or '.'}/{entry}"
                packs += (Pack(known, package) for package in _read_packages(metadata))
    return sorted(packs, key=lambda p: (p.label != "pipedoctor", p.label, p.package))


def _list_distributions(folder: str) -> list[str]:
    """Names, not paths: of those there may be thousands, and each costs its time."""
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []
    return sorted(n for n in names if n.endswith((".dist-info", ".egg-info")))


def _read_packages(metadata: str) -> Iterator[str]:
    """The values of our group; a file that cannot be read holds none."""
    path = f"{metadata}/entry_points.txt"
    if not os.access(path, os.R_OK):  # most have none; an exception costs three times
        return
    try:
        text = read_text(path, _MAX_ENTRY_POINTS_BYTES)
    except OSError:
        return
    group = ""
    for line in map(str.strip, text.splitlines() if ENTRY_POINT_GROUP in text else ()):
        if line.startswith("["):
            group = line.strip("[] ")
        elif group == ENTRY_POINT_GROUP and "=" in line and not line.startswith(("#", ";")):
            yield line.partition("=")[2].partition("[")[0].strip()
