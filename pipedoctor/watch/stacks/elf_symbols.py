"""
Look symbols up in a program or library as it lies in another process's memory.

As the dynamic linker does: program headers, the dynamic section, the GNU hash table.
No file is opened, so a file that was deleted, or lies on a mount that hangs, is as
good as any other. Layouts: elf(5); the hash table: binutils' elflink.c.
"""

import struct

import msgspec

from pipedoctor.watch.stacks.remote_memory import RemoteMemory, TornReadError

_LOAD, _DYNAMIC = 1, 2
_NULL, _STRTAB, _SYMTAB, _GNU_HASH = 0, 5, 6, 0x6FFFFEF5
_MAX_ENTRIES = 4096
_MAX_NAME_LENGTH = 128
_ENTRY, _TAGS_BYTES, _PAGE = 16, 512, 4096


class ElfImage(msgspec.Struct, frozen=True):
    """A program or library in memory: where it was loaded, and its tables."""

    memory: RemoteMemory
    bias: int
    strings: int
    symbols: int
    hashes: int

    def find_symbol(self, name: str) -> int | None:
        """The address of an exported symbol; None: it exports none of that name."""
        wanted = _hash_name(name)
        count, first, words, _ = struct.unpack("<4I", self.memory.read(self.hashes, 16))
        buckets = self.hashes + 16 + 8 * words
        bucket = struct.unpack("<I", self.memory.read(buckets + 4 * (wanted % count), 4))
        index: int = bucket[0]
        if index < first:
            return None
        chain = buckets + 4 * count
        for number in range(index, index + _MAX_ENTRIES):
            (found,) = struct.unpack("<I", self.memory.read(chain + 4 * (number - first), 4))
            if found | 1 == wanted | 1 and (value := self._read_symbol(number, name)):
                return self.bias + value
            if found & 1:
                return None
        return None

    def _read_symbol(self, number: int, name: str) -> int | None:
        row = self.memory.read(self.symbols + 24 * number, 24)
        text, _, _, _, value, _ = struct.unpack("<IBBHQQ", row)
        wanted = name.encode() + b"\0"
        known = self.memory.read(self.strings + text, len(wanted))
        return int(value) if known == wanted and len(wanted) < _MAX_NAME_LENGTH else None


def read_image(memory: RemoteMemory, base: int) -> ElfImage:
    """The image whose ELF header lies at this address; TornReadError: it is none."""
    head = memory.read(base, 64)
    if head[:6] != b"\x7fELF\x02\x01":
        message = "not a 64-bit little-endian ELF file"
        raise TornReadError(message)
    place, count = (
        struct.unpack_from("<Q", head, 32)[0],
        struct.unpack_from("<H", head, 56)[0],
    )
    rows = memory.read(base + place, 56 * min(count, 64))
    segments = [struct.unpack_from("<IIQQ", rows, 56 * n) for n in range(min(count, 64))]
    start = next((s[3] - s[2] for s in segments if s[0] == _LOAD), 0)
    bias = base - start
    dynamic = next((s[3] for s in segments if s[0] == _DYNAMIC), None)
    if dynamic is None:
        message = "it is linked statically: no dynamic section"
        raise TornReadError(message)
    tags = _read_tags(memory, bias + dynamic)
    try:
        strings, symbols, hashes = (
            _to_absolute(tags[tag], base, bias) for tag in (_STRTAB, _SYMTAB, _GNU_HASH)
        )
    except KeyError:
        message = "it has no GNU hash table"
        raise TornReadError(message) from None
    return ElfImage(memory, bias, strings, symbols, hashes)


def _read_tags(memory: RemoteMemory, address: int) -> dict[int, int]:
    tags: dict[int, int] = {}
    end = address + _ENTRY * _MAX_ENTRIES
    while address < end:
        inside = min(_TAGS_BYTES, _PAGE - address % _PAGE)  # what follows may not be mapped
        data = memory.read(address, max(_ENTRY, inside - inside % _ENTRY))
        for tag, value in struct.iter_unpack("<QQ", data):
            if tag == _NULL:
                return tags
            tags[tag] = value
        address += len(data)
    return tags


def _to_absolute(value: int, base: int, bias: int) -> int:
    """Glibc writes addresses into the dynamic section; others leave them relative."""
    return value if value >= base else value + bias


def _hash_name(name: str) -> int:
    value = 5381
    for letter in name.encode():
        value = (value * 33 + letter) & 0xFFFFFFFF
    return value
