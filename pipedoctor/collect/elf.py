"""
Read what the dynamic linker reads of an ELF file: names, paths, versions.

As the linker does, only program headers and what they lead to are read: a library of a
gigabyte costs a few KiB, and one that was stripped of its sections tells as much.
pyelftools' own walk over sections would read every hash table of symbols.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

from pipedoctor.attempt import Crash, attempt

_MOST = 4096
"""Entries of one table; a damaged file may announce billions."""
_WEAK = 2
"""VER_FLG_WEAK: a version whose absence the linker forgives."""


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

    What pyelftools trips over is no ELF file either: the linker would refuse it.
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
        runpath, rpath = image.texts("DT_RUNPATH"), image.texts("DT_RPATH")
        return Binary(
            kind=image.kind,
            soname=next(iter(image.texts("DT_SONAME")), ""),
            needed=image.texts("DT_NEEDED"),
            rpath=_folders(rpath) if not runpath else (),
            runpath=_folders(runpath) if runpath else None,
        )


def _versions(path: Path) -> Versions:
    with path.open("rb") as opened:
        image = _Image(opened)
        return Versions(wants=dict(image.wants()), defines=tuple(image.defines()))


def _folders(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folder for folder in ":".join(values).split(":") if folder)


_Row = Mapping[str, int]
_Linked = tuple[int, _Row]
"""Where in the file a row stands, and the row."""


class _Structs(Protocol):
    Elf_Phdr: object
    Elf_Dyn: object
    Elf_Verneed: object
    Elf_Vernaux: object
    Elf_Verdef: object
    Elf_Verdaux: object


class _File(Protocol):
    elfclass: int
    structs: _Structs

    def __getitem__(self, name: str) -> int: ...


class _Image:
    """An open file, seen through its program headers by pyelftools' structures."""

    def __init__(self, opened: IO[bytes]) -> None:
        parse: Callable[[IO[bytes]], _File] = importlib.import_module(
            "elftools.elf.elffile"
        ).ELFFile
        common = importlib.import_module("elftools.common.utils")
        self._parse: Callable[[object, IO[bytes], int], _Row] = common.struct_parse
        self._text: Callable[[IO[bytes], int], bytes | None] = (
            common.parse_cstring_from_stream
        )
        self._opened = opened
        self._file = parse(opened)
        self._structs = self._file.structs

    @property
    def kind(self) -> str:
        return f"{self._file.elfclass} {self._file['e_machine']}"

    @cached_property
    def _segments(self) -> list[_Row]:
        first, size = self._file["e_phoff"], self._file["e_phentsize"]
        count = min(self._file["e_phnum"], _MOST)
        return [
            self._parse(self._structs.Elf_Phdr, self._opened, first + number * size)
            for number in range(count)
        ]

    @cached_property
    def _tags(self) -> list[tuple[str, int]]:
        """The dynamic section, up to its end mark."""
        tags: list[tuple[str, int]] = []
        size = 2 * self._file.elfclass // 8
        for segment in self._segments:
            if str(segment["p_type"]) != "PT_DYNAMIC":
                continue
            for place in range(min(segment["p_filesz"] // size, _MOST)):
                offset = segment["p_offset"] + place * size
                row = self._parse(self._structs.Elf_Dyn, self._opened, offset)
                if str(row["d_tag"]) == "DT_NULL":
                    break
                tags.append((str(row["d_tag"]), row["d_val"]))
        return tags

    def _value(self, tag: str) -> int | None:
        return next((value for name, value in self._tags if name == tag), None)

    def _offset(self, address: int) -> int:
        """Where in the file the bytes are that go to this address of memory."""
        for segment in self._segments:
            into = address - segment["p_vaddr"]
            if str(segment["p_type"]) == "PT_LOAD" and 0 <= into < segment["p_filesz"]:
                return segment["p_offset"] + into
        message = f"address {address:#x} is in no segment"
        raise ValueError(message)

    @cached_property
    def _strings(self) -> int:
        return self._offset(self._value("DT_STRTAB") or 0)

    def _string(self, index: int) -> str:
        text = self._text(self._opened, self._strings + index)
        return (text or b"").decode("utf-8", "surrogateescape")

    def texts(self, tag: str) -> tuple[str, ...]:
        """The strings of every entry of this kind."""
        return tuple(self._string(value) for name, value in self._tags if name == tag)

    def _table(self, tag: str, struct: object, following: str) -> Iterator[_Linked]:
        """A table of versions: entries that say how far away the next one is."""
        start = self._value(tag)
        if start is None:
            return
        yield from self._chain(
            self._offset(start), self._value(f"{tag}NUM") or 0, struct, following
        )

    def _chain(
        self, offset: int, count: int, struct: object, following: str
    ) -> Iterator[_Linked]:
        for _ in range(min(count, _MOST)):
            row = self._parse(struct, self._opened, offset)
            yield offset, row
            offset += row[following]

    def wants(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each library and the versions that are wanted of it."""
        structs = self._structs
        for offset, row in self._table("DT_VERNEED", structs.Elf_Verneed, "vn_next"):
            names = self._chain(
                offset + row["vn_aux"], row["vn_cnt"], structs.Elf_Vernaux, "vna_next"
            )
            wanted = (n for _, n in names if not n["vna_flags"] & _WEAK)
            yield (
                self._string(row["vn_file"]),
                tuple(self._string(name["vna_name"]) for name in wanted),
            )

    def defines(self) -> Iterator[str]:
        """The first name of each definition is its own, those behind its parents'."""
        structs = self._structs
        for offset, row in self._table("DT_VERDEF", structs.Elf_Verdef, "vd_next"):
            own = self._parse(structs.Elf_Verdaux, self._opened, offset + row["vd_aux"])
            yield self._string(own["vda_name"])
