"""Read /etc/ld.so.cache: which file the linker's cache names for which library."""

import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence

_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER = struct.Struct("=20sII4xI12x")
_ENTRY = struct.Struct("=iIIIQ")
_EXTENSION = struct.Struct("=II")
_SECTION = struct.Struct("=IIII")
_EXTENSION_MAGIC = 0xEAA42174
_HWCAPS_SECTION = 1
"""The kind of section that lists the names of folders of glibc-hwcaps."""
_HWCAPS_FLAG = 1 << 62
"""Set where `hwcap` counts in that list: not every CPU takes that file."""
_HWCAPS_INDEX_MASK = 0xFFFFFFFF
_MAX_SECTIONS = 16
MAX_CACHE_BYTES = 16 << 20
_MAX_STRING_BYTES = 4096

LinkerCache = dict[str, tuple[str, ...]]


def parse_cache(data: bytes, hwcaps: Sequence[str] = ()) -> LinkerCache:
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
    named = list(_read_hwcap_names(data, start, extension))
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    left = MAX_CACHE_BYTES
    for number in range(min(count, room)):
        offset = _HEADER.size + number * _ENTRY.size
        _, key, value, _, hwcap = _ENTRY.unpack_from(table, offset)
        name, path = _read_string(data, start + key), _read_string(data, start + value)
        place = _rank_hwcap(hwcap, named, hwcaps)
        left -= len(name) + len(path)
        if left < 0:
            break  # no cache of a system: its entries share their names
        if name and path.startswith("/") and place is not None:
            found[name].append((place, path))
    return {
        name: tuple(path for _, path in sorted(paths, key=lambda pair: pair[0]))
        for name, paths in found.items()
    }


def _rank_hwcap(hwcap: int, names: list[str], hwcaps: Sequence[str]) -> int | None:
    """Rank an entry among those of its name; None: not for this CPU."""
    if not hwcap & _HWCAPS_FLAG:
        return len(hwcaps)
    number = hwcap & _HWCAPS_INDEX_MASK
    name = names[number] if number < len(names) else ""
    return hwcaps.index(name) if name in hwcaps else None


def _read_hwcap_names(data: bytes, start: int, offset: int) -> Iterator[str]:
    """The names of folders of glibc-hwcaps that the cache lists; none in older ones."""
    table = memoryview(data)[start:]
    sections = _EXTENSION.size + offset
    if not offset or len(table) < sections:
        return
    magic, count = _EXTENSION.unpack_from(table, offset)
    for number in range(min(count, _MAX_SECTIONS) if magic == _EXTENSION_MAGIC else 0):
        at = sections + number * _SECTION.size
        if len(table) < at + _SECTION.size:
            return
        tag, _, where, size = _SECTION.unpack_from(table, at)
        if tag == _HWCAPS_SECTION:
            for (text,) in struct.iter_unpack("=I", table[where:][: size // 4 * 4]):
                yield _read_string(data, start + text)


def _read_string(data: bytes, start: int) -> str:
    end = data.find(b"\0", start, start + _MAX_STRING_BYTES)
    return "" if end < 0 else data[start:end].decode("utf-8", "surrogateescape")
