"""Read /etc/ld.so.cache: which file the linker's cache names for which library."""

import struct
from collections import defaultdict

_MAGIC = b"glibc-ld.so.cache1.1"
_HEADER = struct.Struct("=20sII20x")
_ENTRY = struct.Struct("=iIIIQ")
_FOR_SOME_CPUS = 1 << 62
"""Set where `hwcap` names a folder of glibc-hwcaps: not every CPU takes that file."""
LARGEST = 16 << 20
_LONGEST = 4096

Cache = dict[str, tuple[str, ...]]


def parse(data: bytes) -> Cache:
    """
    Names and their files, in the cache's order; empty for what is no such cache.

    The format is that of glibc >= 2.2 (elf/cache.c, sysdeps/generic/dl-cache.h),
    alone or behind the older one. Entries that point out of the file are left out.
    """
    start = data.find(_MAGIC)
    if start < 0 or len(data) < start + _HEADER.size:
        return {}
    table = memoryview(data)[start:]
    _, count, _ = _HEADER.unpack_from(table)
    room = (len(table) - _HEADER.size) // _ENTRY.size
    found: dict[str, list[str]] = defaultdict(list)
    for number in range(min(count, room)):
        offset = _HEADER.size + number * _ENTRY.size
        _, key, value, _, hwcap = _ENTRY.unpack_from(table, offset)
        name, path = _text(data, start + key), _text(data, start + value)
        if name and path.startswith("/") and not hwcap & _FOR_SOME_CPUS:
            found[name].append(path)
    return {name: tuple(paths) for name, paths in found.items()}


def _text(data: bytes, start: int) -> str:
    end = data.find(b"\0", start, start + _LONGEST)
    return "" if end < 0 else data[start:end].decode("utf-8", "surrogateescape")
