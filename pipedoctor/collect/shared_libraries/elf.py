"""
Read what the dynamic linker reads of an ELF file: names, paths, versions.

As the linker does, only program headers and what they lead to are read: a library of a
gigabyte costs a few KiB, and one that was stripped of its sections tells as much.
Layouts: elf(5), and the LSB's chapter on symbol versions. Importing a library for all
of ELF takes longer than reading everything that is read here.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.runtime.regular_file import open_file

_MAX_ENTRIES = 4096
"""Entries of one table; a damaged file may announce billions."""
_MAX_ROWS = 4 * _MAX_ENTRIES
"""Versions that a file requires and defines: rows of tables may point at each other."""
_MAX_STRING_BYTES = 4096
"""Bytes of one name or list of folders: PATH_MAX."""
_WEAK_FLAG = 2
"""VER_FLG_WEAK: a version whose absence the linker forgives."""
_MACHINE_NAMES = {62: "EM_X86_64", 183: "EM_AARCH64"}
_PT_LOAD, _PT_DYNAMIC = 1, 2
_NULL, _NEEDED, _STRTAB, _SONAME, _RPATH, _RUNPATH = 0, 1, 5, 14, 15, 29
_VERDEF, _VERNEED = 0x6FFFFFFC, 0x6FFFFFFE
"""Each is followed by the tag that tells how many there are."""


@dataclass(frozen=True, kw_only=True)
class Binary:
    """One program or library; search paths as written, ``$ORIGIN`` and all."""

    kind: str
    """Word size and machine: only files of one kind go together."""
    soname: str = ""
    needed: tuple[str, ...] = ()
    rpath: tuple[str, ...] = ()
    """DT_RPATH; empty where DT_RUNPATH stands beside it, which voids it."""
    runpath: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class SymbolVersions:
    """The symbol versions that a file requires of other libraries, and defines."""

    required: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """Library -> the versions of its symbols that must be there."""
    defined: tuple[str, ...] = ()


def read_binary(path: Path) -> Binary | None:
    """
    Read a few KiB of the file, however large it is; None where it is no ELF file.

    What cannot be followed is no ELF file either: the linker would refuse it.
    """
    done = attempt(lambda: _parse_binary(path))
    return None if isinstance(done, Crash) else done.value


def read_symbol_versions(path: Path) -> SymbolVersions:
    """Read the versions of symbols; none where it is no ELF file."""
    done = attempt(lambda: _parse_versions(path))
    return SymbolVersions() if isinstance(done, Crash) else done.value


def _parse_binary(path: Path) -> Binary:
    with open_file(path) as opened:
        image = _ElfReader(opened)
        runpath, rpath = image.read_strings(_RUNPATH), image.read_strings(_RPATH)
        return Binary(
            kind=image.kind,
            soname=next(iter(image.read_strings(_SONAME)), ""),
            needed=image.read_strings(_NEEDED),
            rpath=_split_folders(rpath) if not runpath else (),
            runpath=_split_folders(runpath) if runpath else None,
        )


def _parse_versions(path: Path) -> SymbolVersions:
    with open_file(path) as opened:
        image = _ElfReader(opened)
        return SymbolVersions(
            required=dict(image.iter_required()), defined=tuple(image.iter_defined())
        )


def _split_folders(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folder for folder in ":".join(values).split(":") if folder)


class _ElfSegment(NamedTuple):
    """A part of the file, and where it goes in memory."""

    kind: int
    offset: int
    address: int
    size: int


class _ElfReader:
    """An open ELF file, read through its program headers."""

    def __init__(self, file: IO[bytes]) -> None:
        self._opened = file
        self._rows_read = 0
        magic, bits, order = struct.unpack("4sBB", self._read_bytes(0, 6))
        if magic != b"\x7fELF":
            message = "not an ELF file"
            raise ValueError(message)
        self._order = {1: "<", 2: ">"}[order]
        self._bits = {1: 32, 2: 64}[bits]
        self._machine = self._read_row(18, "H")[0]

    @property
    def kind(self) -> str:
        machine = _MACHINE_NAMES.get(self._machine, f"EM_{self._machine}")
        return f"{self._bits} {machine}"

    def _read_bytes(self, offset: int, size: int) -> bytes:
        self._opened.seek(offset)
        return self._opened.read(size)

    def _read_row(self, offset: int, layout: str) -> tuple[int, ...]:
        """Numbers of these sizes; raises struct.error behind the end of the file."""
        layout = self._order + layout
        return struct.unpack(layout, self._read_bytes(offset, struct.calcsize(layout)))

    @cached_property
    def _segments(self) -> list[_ElfSegment]:
        wide = self._bits == 64  # noqa: PLR2004
        (first,) = self._read_row(32 if wide else 28, "Q" if wide else "I")
        size, count = self._read_row(54 if wide else 42, "HH")
        found: list[_ElfSegment] = []
        for number in range(min(count, _MAX_ENTRIES)):
            row = self._read_row(first + number * size, "IIQQQQ" if wide else "IIIIII")
            kind, offset, address, length = (
                (row[0], row[2], row[3], row[5]) if wide else (row[0], row[1], row[2], row[4])
            )
            found.append(_ElfSegment(kind, offset, address, length))
        return found

    @cached_property
    def _tags(self) -> list[tuple[int, int]]:
        """The dynamic section, up to its end mark."""
        tags: list[tuple[int, int]] = []
        layout, size = ("QQ", 16) if self._bits == 64 else ("II", 8)  # noqa: PLR2004
        for segment in self._segments:
            if segment.kind != _PT_DYNAMIC:
                continue
            for place in range(min(segment.size // size, _MAX_ENTRIES)):
                tag, value = self._read_row(segment.offset + place * size, layout)
                if tag == _NULL or len(tags) >= _MAX_ENTRIES:
                    break
                tags.append((tag, value))
        return tags

    def _find_value(self, tag: int) -> int | None:
        return next((value for name, value in self._tags if name == tag), None)

    def _to_file_offset(self, address: int) -> int:
        """Where in the file the bytes are that go to this address of memory."""
        for segment in self._segments:
            into = address - segment.address
            if segment.kind == _PT_LOAD and 0 <= into < segment.size:
                return segment.offset + into
        message = f"address {address:#x} is in no segment"
        raise ValueError(message)

    @cached_property
    def _string_table(self) -> int:
        return self._to_file_offset(self._find_value(_STRTAB) or 0)

    def _read_string(self, index: int) -> str:
        text = self._read_bytes(self._string_table + index, _MAX_STRING_BYTES).partition(b"\0")[0]
        return text.decode("utf-8", "surrogateescape")

    def read_strings(self, tag: int) -> tuple[str, ...]:
        """The strings of every entry of this kind."""
        return tuple(self._read_string(value) for name, value in self._tags if name == tag)

    def _iter_table(self, tag: int, layout: str) -> Iterator[tuple[int, tuple[int, ...]]]:
        """A table of versions, each row with its offset."""
        start = self._find_value(tag)
        if start is not None:
            count = self._find_value(tag + 1) or 0
            yield from self._iter_chain(self._to_file_offset(start), count, layout)

    def _iter_chain(
        self, offset: int, count: int, layout: str
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Rows whose last number says how far away the next one is."""
        for _ in range(min(count, _MAX_ENTRIES)):
            self._rows_read += 1
            if self._rows_read > _MAX_ROWS:
                message = f"more than {_MAX_ROWS} versions"
                raise ValueError(message)
            row = self._read_row(offset, layout)
            yield offset, row
            offset += row[-1]

    def iter_required(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each library with the symbol versions that are required of it."""
        for offset, (_, count, library, first, _) in self._iter_table(_VERNEED, "HHIII"):
            rows = [row for _, row in self._iter_chain(offset + first, count, "IHHII")]
            wanted = (name for _, flags, _, name, _ in rows if not flags & _WEAK_FLAG)
            yield self._read_string(library), tuple(map(self._read_string, wanted))

    def iter_defined(self) -> Iterator[str]:
        """The first name of each definition is its own, those behind its parents'."""
        for offset, row in self._iter_table(_VERDEF, "HHHHIII"):
            yield self._read_string(self._read_row(offset + row[-2], "II")[0])
