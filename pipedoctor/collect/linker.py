"""
Search libraries as glibc's dynamic linker does, without running anything.

The order of ld.so(8): DT_RPATH of the file and of whoever loaded it (unless the file
has a DT_RUNPATH), LD_LIBRARY_PATH, the file's own DT_RUNPATH, the cache, the default
folders; in each of them the sub-folders of ``glibc-hwcaps`` that this CPU takes come
first. A name that is loaded already is not searched again. The folders of hardware
that glibc knew before 2.37 (``haswell``, ``tls``) are not looked into.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipedoctor.collect.elf import Binary, read

_MACHINES = {"64 EM_X86_64": "x86_64-linux-gnu", "64 EM_AARCH64": "aarch64-linux-gnu"}
_MOST = 2000
"""Files that one process may load, so that hostile ones come to an end."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Loaded:
    """A file in the process, and the one for which it was loaded."""

    path: Path
    """As the linker found it; ``$ORIGIN`` is its folder, links not followed."""
    binary: Binary
    loader: "Loaded | None" = None
    found_by: str = ""


@dataclass(frozen=True, kw_only=True)
class Search:
    """What one search gave: the files in the linker's order, the first is taken."""

    name: str
    wanted_by: Loaded
    candidates: tuple[Loaded, ...]


@dataclass(kw_only=True)
class Linker:
    """One process that loads libraries; `loaded` grows."""

    program: Loaded
    library_path: tuple[str, ...] = ()
    cache: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, "tuple[str, ...]"]
    )
    root: Path = Path("/")
    """Where the default folders are."""
    hwcaps: tuple[str, ...] = ()
    """Sub-folders of ``glibc-hwcaps`` that this processor takes, the best first."""
    more: tuple[Path, ...] = ()
    """Folders that torch looks into itself where the linker finds nothing."""
    thorough: Callable[[str], bool] = lambda _: False
    """Of which names every candidate is worth knowing, not only the first."""
    loaded: dict[str, Loaded] = field(default_factory=dict[str, Loaded])
    _special: dict[Path, tuple[Path, ...]] = field(
        default_factory=dict[Path, "tuple[Path, ...]"]
    )

    def load(self, path: Path, found_by: str = "") -> Iterator[Search]:
        """Open a file as `dlopen` does: it, and what it needs, breadth first."""
        binary = read(path)
        if binary is None:
            return
        opened = Loaded(
            path=path, binary=binary, loader=self.program, found_by=found_by
        )
        yield from self.complete(self.enter(opened))

    def complete(self, top: Loaded) -> Iterator[Search]:
        """Search what this file and those below it need."""
        waiting = deque([top])
        while waiting and len(self.loaded) < _MOST:
            file = waiting.popleft()
            for name in file.binary.needed:
                if name in self.loaded:
                    continue
                found = self.search(name, file)
                yield found
                if found.candidates:
                    waiting.append(self.enter(found.candidates[0], name))

    def enter(self, file: Loaded, name: str = "") -> Loaded:
        """Remember a file under every name by which the linker knows it."""
        for known in filter(None, (name or str(file.path), file.binary.soname)):
            self.loaded.setdefault(known, file)
        return file

    def search(self, name: str, by: Loaded) -> Search:
        """Look for a name in every place, in order; a path is taken as it stands."""
        candidates: list[Loaded] = []
        seen: set[str] = set()
        for path, how in self._places(name, by):
            if not path.is_file() or (real := os.path.realpath(path)) in seen:
                continue
            seen.add(real)
            binary = read(path)
            if binary is not None and binary.kind == self.program.binary.kind:
                file = Loaded(path=path, binary=binary, loader=by, found_by=how)
                candidates.append(file)
                if not self.thorough(name):
                    break
        return Search(name=name, wanted_by=by, candidates=tuple(candidates))

    def _places(self, name: str, by: Loaded) -> Iterator[tuple[Path, str]]:
        """Where this name could be, and how each place is come by."""
        if "/" in name:
            yield Path(name), "path"
            return
        if by.binary.runpath is None:
            for file in _chain(by):
                for folder in self._within(self._expand(file.binary.rpath, file)):
                    yield folder / name, "DT_RPATH"
        for folder in self._within(self._expand(self.library_path, self.program)):
            yield folder / name, "LD_LIBRARY_PATH"
        for folder in self._within(self._expand(by.binary.runpath or (), by)):
            yield folder / name, "DT_RUNPATH"
        for path in self.cache.get(name, ()):
            yield Path(path), "cache"
        for folder in self._within(self._default()):
            yield folder / name, "default"
        for folder in self.more:
            yield folder / name, "torch"

    def _within(self, folders: Iterable[Path]) -> Iterator[Path]:
        """What is for this processor comes before the folder itself."""
        for folder in folders:
            there = self._special.get(folder)
            if there is None:
                all_ = (folder / "glibc-hwcaps" / name for name in self.hwcaps)
                there = self._special[folder] = tuple(f for f in all_ if f.is_dir())
            yield from there
            yield folder

    def _expand(self, folders: Iterable[str], file: Loaded) -> Iterator[Path]:
        """Put the linker's words into folders; relative ones start where we are."""
        words = {"ORIGIN": str(file.path.parent), "LIB": self._lib()}
        for folder in folders:
            text = folder
            for word, value in words.items():
                text = text.replace(f"${{{word}}}", value).replace(f"${word}", value)
            yield Path(text) if text.startswith("/") else Path.cwd() / text

    def _lib(self) -> str:
        first = next(self._default())
        return str(first.relative_to(self.root))

    def _default(self) -> Iterator[Path]:
        machine = _MACHINES.get(self.program.binary.kind, "other-linux-gnu")
        for top in ("lib", "usr/lib"):
            folder = self.root / top / machine
            if folder.is_dir():
                yield folder
        yield from (self.root / name for name in _FOLDERS)


_FOLDERS = ("lib64", "usr/lib64", "lib", "usr/lib")


def _chain(file: Loaded) -> Iterator[Loaded]:
    """The file, whoever loaded it and so on, up to the program."""
    step: Loaded | None = file
    while step is not None:
        yield step
        step = step.loader
