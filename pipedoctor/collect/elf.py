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

from pipedoctor.attempt import Crash, attempt

_MOST = 4096
"""Entries of one table; a damaged file may announce billions."""
_LONGEST = 4096
"""Bytes of one name or list of folders: PATH_MAX."""
_WEAK = 2
"""VER_FLG_WEAK: a version whose absence the linker forgives."""
_MACHINES = {62: "EM_X86_64", 183: "EM_AARCH64"}
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
class Versions:
    """The versions of symbols that a file wants of others, and has for them."""

    wants: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, "tuple[str, ...]"]
    )
    """Library -> the versions of its symbols that must be there."""
    defines: tuple[str, ...] = ()


def read(path: Path) -> Binary | None:
    """
    Read a few KiB of the file, however large it is; None where it is no ELF file.

    What cannot be followed is no ELF file either: the linker would refuse it.
    """
    done = attempt(lambda: _read(path))
    return None if isinstance(done, Crash) else done.value


def versions(path: Path) -> Versions:
    """Read the versions of symbols; none where it is no ELF file."""
    done = attempt(lambda: _versions(path))
    return Versions() if isinstance(done, Crash) else done.value


def _read(path: Path) -> Binary:
    with path.open("rb") as opened:
        image = _Image(opened)
        runpath, rpath = image.texts(_RUNPATH), image.texts(_RPATH)
        return Binary(
            kind=image.kind,
            soname=next(iter(image.texts(_SONAME)), ""),
            needed=image.texts(_NEEDED),
            rpath=_folders(rpath) if not runpath else (),
            runpath=_folders(runpath) if runpath else None,
        )


def _versions(path: Path) -> Versions:
    with path.open("rb") as opened:
        image = _Image(opened)
        return Versions(wants=dict(image.wants()), defines=tuple(image.defines()))


def _folders(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folder for folder in ":".join(values).split(":") if folder)


class _Segment(NamedTuple):
    """A part of the file, and where it goes in memory."""

    kind: int
    offset: int
    address: int
    size: int


class _Image:
    """An open file, seen through its program headers."""

    def __init__(self, opened: IO[bytes]) -> None:
        self._opened = opened
        magic, bits, order = struct.unpack("4sBB", self._bytes(0, 6))
        if magic != b"\x7fELF":
            message = "no ELF file"
            raise ValueError(message)
        self._order = {1: "<", 2: ">"}[order]
        self._bits = {1: 32, 2: 64}[bits]
        self._machine = self._row(18, "H")[0]

    @property
    def kind(self) -> str:
        machine = _MACHINES.get(self._machine, f"EM_{self._machine}")
        return f"{self._bits} {machine}"

    def _bytes(self, offset: int, size: int) -> bytes:
        self._opened.seek(offset)
        return self._opened.read(size)

    def _row(self, offset: int, layout: str) -> tuple[int, ...]:
        """Numbers of these sizes; raises struct.error behind the end of the file."""
        layout = self._order + layout
        return struct.unpack(layout, self._bytes(offset, struct.calcsize(layout)))

    @cached_property
    def _segments(self) -> list[_Segment]:
        wide = self._bits == 64  # noqa: PLR2004
        (first,) = self._row(32 if wide else 28, "Q" if wide else "I")
        size, count = self._row(54 if wide else 42, "HH")
        found: list[_Segment] = []
        for number in range(min(count, _MOST)):
            row = self._row(first + number * size, "IIQQQQ" if wide else "IIIIII")
            kind, offset, address, length = (
                (row[0], row[2], row[3], row[5])
                if wide
                else (row[0], row[1], row[2], row[4])
            )
            found.append(_Segment(kind, offset, address, length))
        return found

    @cached_property
    def _tags(self) -> list[tuple[int, int]]:
        """The dynamic section, up to its end mark."""
        tags: list[tuple[int, int]] = []
        layout, size = ("QQ", 16) if self._bits == 64 else ("II", 8)  # noqa: PLR2004
        for segment in self._segments:
            if segment.kind != _PT_DYNAMIC:
                continue
            for place in range(min(segment.size // size, _MOST)):
                tag, value = self._row(segment.offset + place * size, layout)
                if tag == _NULL:
                    break
                tags.append((tag, value))
        return tags

    def _value(self, tag: int) -> int | None:
        return next((value for name, value in self._tags if name == tag), None)

    def _offset(self, address: int) -> int:
        """Where in the file the bytes are that go to this address of memory."""
        for segment in self._segments:
            into = address - segment.address
            if segment.kind == _PT_LOAD and 0 <= into < segment.size:
                return segment.offset + into
        message = f"address {address:#x} is in no segment"
        raise ValueError(message)

    @cached_property
    def _strings(self) -> int:
        return self._offset(self._value(_STRTAB) or 0)

    def _string(self, index: int) -> str:
        text = self._bytes(self._strings + index, _LONGEST).partition(b"\0")[0]
        return text.decode("utf-8", "surrogateescape")

    def texts(self, tag: int) -> tuple[str, ...]:
        """The strings of every entry of this kind."""
        return tuple(self._string(value) for name, value in self._tags if name == tag)

    def _table(self, tag: int, layout: str) -> Iterator[tuple[int, tuple[int, ...]]]:
        """A table of versions, each row with its offset."""
        start = self._value(tag)
        if start is not None:
            count = self._value(tag + 1) or 0
            yield from self._chain(self._offset(start), count, layout)

    def _chain(
        self, offset: int, count: int, layout: str
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Rows whose last number says how far away the next one is."""
        for _ in range(min(count, _MOST)):
            row = self._row(offset, layout)
            yield offset, row
            offset += row[-1]

    def wants(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each library and the versions that are wanted of it."""
        for offset, (_, count, library, first, _) in self._table(_VERNEED, "HHIII"):
            rows = [row for _, row in self._chain(offset + first, count, "IHHII")]
            wanted = (name for _, flags, _, name, _ in rows if not flags & _WEAK)
            yield self._string(library), tuple(map(self._string, wanted))

    def defines(self) -> Iterator[str]:
        """The first name of each definition is its own, those behind its parents'."""
        for offset, row in self._table(_VERDEF, "HHHHIII"):
            yield self._string(self._row(offset + row[-2], "II")[0])
