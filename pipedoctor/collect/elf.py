"""Read what the dynamic linker reads of an ELF file: names, paths, versions."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
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


class _Tag(Protocol):
    needed: str
    rpath: str
    runpath: str
    soname: str

    def __getitem__(self, name: str) -> str: ...


class _Segment(Protocol):
    def iter_tags(self) -> Iterator[_Tag]: ...


class _Version(Protocol):
    name: str

    def __getitem__(self, name: str) -> int: ...


class _Versions(Protocol):
    def iter_versions(self) -> Iterator[tuple[_Version, Iterator[_Version]]]: ...


class _File(Protocol):
    elfclass: int

    def __getitem__(self, name: str) -> str: ...

    def iter_segments(self, type: str) -> Iterator[_Segment]: ...  # noqa: A002

    def get_section_by_name(self, name: str) -> _Versions | None: ...


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


def _parse(opened: IO[bytes]) -> _File:
    library = importlib.import_module("elftools.elf.elffile")
    parse: Callable[[IO[bytes]], _File] = library.ELFFile
    return parse(opened)


def _versions(path: Path) -> Versions:
    with path.open("rb") as opened:
        file = _parse(opened)
        return Versions(wants=_wants(file), defines=_defines(file))


def _read(path: Path) -> Binary:
    with path.open("rb") as opened:
        file = _parse(opened)
        segments = file.iter_segments(type="PT_DYNAMIC")
        every = (tag for segment in segments for tag in segment.iter_tags())
        tags = list(islice(every, _MOST))
        runpath = [tag.runpath for tag in tags if tag["d_tag"] == "DT_RUNPATH"]
        rpath = [tag.rpath for tag in tags if tag["d_tag"] == "DT_RPATH"]
        sonames = [tag.soname for tag in tags if tag["d_tag"] == "DT_SONAME"]
        return Binary(
            kind=f"{file.elfclass} {file['e_machine']}",
            soname=sonames[0] if sonames else "",
            needed=tuple(tag.needed for tag in tags if tag["d_tag"] == "DT_NEEDED"),
            rpath=_folders(rpath) if not runpath else (),
            runpath=_folders(runpath) if runpath else None,
        )


def _folders(values: list[str]) -> tuple[str, ...]:
    return tuple(folder for folder in ":".join(values).split(":") if folder)


def _wants(file: _File) -> dict[str, tuple[str, ...]]:
    section = file.get_section_by_name(".gnu.version_r")
    if section is None:
        return {}
    return {
        library.name: tuple(
            version.name
            for version in islice(names, _MOST)
            if not version["vna_flags"] & _WEAK
        )
        for library, names in islice(section.iter_versions(), _MOST)
    }


def _defines(file: _File) -> tuple[str, ...]:
    """The first name of each definition is its own, those behind it its parents'."""
    section = file.get_section_by_name(".gnu.version_d")
    if section is None:
        return ()
    definitions = islice(section.iter_versions(), _MOST)
    return tuple(next(names).name for _, names in definitions)
