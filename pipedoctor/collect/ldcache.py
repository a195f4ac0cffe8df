"""Read /etc/ld.so.cache: which file the linker's cache names for which library."""

import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence

_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER = struct.Struct("=20sII4xI12x")
_ENTRY = struct.Struct("=iIIIQ")
_EXTENSION = struct.Struct("=II")
_SECTION = struct.Struct("=IIII")
_EXTENDED = 0xEAA42174
_HWCAPS = 1
"""The kind of section that lists the names of folders of glibc-hwcaps."""
_FOR_SOME_CPUS = 1 << 62
"""Set where `hwcap` counts in that list: not every CPU takes that file."""
_NUMBER = 0xFFFFFFFF
_MOST_SECTIONS = 16
LARGEST = 16 << 20
_LONGEST = 4096

Cache = dict[str, tuple[str, ...]]


def parse(data: bytes, hwcaps: Sequence[str] = ()) -> Cache:
    """
    Names and their files, as a linker takes them; empty for what is no such cache.

    Files in the folders of `hwcaps` come first, the best first, then those for every
    CPU in the cache's order; files for other CPUs are left out. The format is that of
    glibc >= 2.2 (elf/cache.c, sysdeps/generic/dl-cache.h), alone or behind the older
    one. Entries that point out of the file are left out.
    """
    start = data.find(_MAGIC)
    if start < 0 or len(data) < start + _HEADER.size:
        return {}
    table = memoryview(data)[start:]
    _, count, _, extension = _HEADER.unpack_from(table)
    room = (len(table) - _HEADER.size) // _ENTRY.size
    named = list(_named(data, start, extension))
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number in range(min(count, room)):
        offset = _HEADER.size + number * _ENTRY.size
        _, key, value, _, hwcap = _ENTRY.unpack_from(table, offset)
        name, path = _text(data, start + key), _text(data, start + value)
        place = _place(hwcap, named, hwcaps)
        if name and path.startswith("/") and place is not None:
            found[name].append((place, path))
    return {
        name: tuple(path for _, path in sorted(paths, key=lambda pair: pair[0]))
        for name, paths in found.items()
    }


def _place(hwcap: int, named: list[str], hwcaps: Sequence[str]) -> int | None:
    """How early an entry is taken; None: never, on this CPU."""
    if not hwcap & _FOR_SOME_CPUS:
        return len(hwcaps)
    number = hwcap & _NUMBER
    name = named[number] if number < len(named) else ""
    return hwcaps.index(name) if name in hwcaps else None


def _named(data: bytes, start: int, offset: int) -> Iterator[str]:
    """The names of folders of glibc-hwcaps that the cache lists; none in older ones."""
    table = memoryview(data)[start:]
    sections = _EXTENSION.size + offset
    if not offset or len(table) < sections:
        return
    magic, count = _EXTENSION.unpack_from(table, offset)
    for number in range(min(count, _MOST_SECTIONS) if magic == _EXTENDED else 0):
        at = sections + number * _SECTION.size
        if len(table) < at + _SECTION.size:
            return
        tag, _, where, size = _SECTION.unpack_from(table, at)
        if tag == _HWCAPS:
            for (text,) in struct.iter_unpack("=I", table[where:][: size // 4 * 4]):
                yield _text(data, start + text)


def _text(data: bytes, start: int) -> str:
    end = data.find(b"\0", start, start + _LONGEST)
    return "" if end < 0 else data[start:end].decode("utf-8", "surrogateescape")
