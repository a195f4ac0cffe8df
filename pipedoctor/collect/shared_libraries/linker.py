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

from pipedoctor.collect.shared_libraries.elf import Binary, read_binary
from pipedoctor.runtime.path_kind import is_file, is_folder

_MULTIARCH_NAMES = {
    "64 EM_X86_64": "x86_64-linux-gnu",
    "64 EM_AARCH64": "aarch64-linux-gnu",
}
_MAX_FILES = 2000
"""Files that one process may load, so that hostile ones come to an end."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedFile:
    """A file in the simulated process, and the file for which it was loaded."""

    path: Path
    """As the linker found it; ``$ORIGIN`` is its folder, links not followed."""
    binary: Binary
    loader: "LoadedFile | None" = None
    found_by: str = ""


@dataclass(frozen=True, kw_only=True)
class LibrarySearch:
    """The files that one search found, in the linker's order; the first is taken."""

    name: str
    wanted_by: LoadedFile
    candidates: tuple[LoadedFile, ...]


@dataclass(kw_only=True)
class Linker:
    """A simulated process that loads libraries; `loaded` grows."""

    program: LoadedFile
    library_path: tuple[str, ...] = ()
    cache: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    root: Path = Path("/")
    """Where the default folders are."""
    hwcaps: tuple[str, ...] = ()
    """Sub-folders of ``glibc-hwcaps`` that this processor takes, the best first."""
    torch_folders: tuple[Path, ...] = ()
    """Folders that torch looks into itself where the linker finds nothing."""
    wants_all: Callable[[str], bool] = lambda _: False
    """Of which names every candidate is worth knowing, not only the first."""
    loaded: dict[str, LoadedFile] = field(default_factory=dict[str, LoadedFile])
    _hwcaps_folders: dict[Path, tuple[Path, ...]] = field(
        default_factory=dict[Path, "tuple[Path, ...]"]
    )

    def load(self, path: Path, found_by: str = "") -> Iterator[LibrarySearch]:
        """Open a file as `dlopen` does: it, and what it needs, breadth first."""
        binary = read_binary(path)
        if binary is None:
            return
        opened = LoadedFile(path=path, binary=binary, loader=self.program, found_by=found_by)
        yield from self.load_needed(self.register(opened))

    def load_needed(self, top: LoadedFile) -> Iterator[LibrarySearch]:
        """Search what this file and those below it need."""
        waiting = deque([top])
        while waiting and len(self.loaded) < _MAX_FILES:
            file = waiting.popleft()
            for name in file.binary.needed:
                if name in self.loaded:
                    continue
                found = self.search(name, file)
                yield found
                if found.candidates:
                    waiting.append(self.register(found.candidates[0], name))

    def register(self, file: LoadedFile, name: str = "") -> LoadedFile:
        """Remember a file under every name by which the linker knows it."""
        for known in filter(None, (name or str(file.path), file.binary.soname)):
            self.loaded.setdefault(known, file)
        return file

    def search(self, name: str, requester: LoadedFile) -> LibrarySearch:
        """Look for a name in every place, in order; a path is taken as it stands."""
        candidates: list[LoadedFile] = []
        seen: set[str] = set()
        for path, how in self._iter_places(name, requester):
            if not is_file(path) or (real := os.path.realpath(path)) in seen:
                continue
            seen.add(real)
            binary = read_binary(path)
            if binary is not None and binary.kind == self.program.binary.kind:
                file = LoadedFile(path=path, binary=binary, loader=requester, found_by=how)
                candidates.append(file)
                if not self.wants_all(name):
                    break
        return LibrarySearch(name=name, wanted_by=requester, candidates=tuple(candidates))

    def _iter_places(self, name: str, requester: LoadedFile) -> Iterator[tuple[Path, str]]:
        """Yield every path where this name could be, with the rule that leads there."""
        if "/" in name:
            yield Path(name), "path"
            return
        if requester.binary.runpath is None:
            for file in _iter_loaders(requester):
                for folder in self._add_hwcaps_folders(
                    self._expand_folders(file.binary.rpath, file)
                ):
                    yield folder / name, "DT_RPATH"
        for folder in self._add_hwcaps_folders(
            self._expand_folders(self.library_path, self.program)
        ):
            yield folder / name, "LD_LIBRARY_PATH"
        for folder in self._add_hwcaps_folders(
            self._expand_folders(requester.binary.runpath or (), requester)
        ):
            yield folder / name, "DT_RUNPATH"
        for path in self.cache.get(name, ()):
            yield Path(path), "cache"
        for folder in self._add_hwcaps_folders(self._list_default_folders()):
            yield folder / name, "default"
        for folder in self.torch_folders:
            yield folder / name, "torch"

    def _add_hwcaps_folders(self, folders: Iterable[Path]) -> Iterator[Path]:
        """What is for this processor comes before the folder itself."""
        for folder in folders:
            there = self._hwcaps_folders.get(folder)
            if there is None:
                all_ = (folder / "glibc-hwcaps" / name for name in self.hwcaps)
                there = self._hwcaps_folders[folder] = tuple(f for f in all_ if is_folder(f))
            yield from there
            yield folder

    def _expand_folders(self, folders: Iterable[str], file: LoadedFile) -> Iterator[Path]:
        """Put the linker's words into folders; relative ones start where we are."""
        words = {"ORIGIN": str(file.path.parent), "LIB": self._get_lib_name()}
        for folder in folders:
            text = folder
            for word, value in words.items():
                text = text.replace(f"${{{word}}}", value).replace(f"${word}", value)
            yield Path(text) if text.startswith("/") else Path.cwd() / text

    def _get_lib_name(self) -> str:
        first = next(self._list_default_folders())
        return str(first.relative_to(self.root))

    def _list_default_folders(self) -> Iterator[Path]:
        machine = _MULTIARCH_NAMES.get(self.program.binary.kind, "other-linux-gnu")
        for top in ("lib", "usr/lib"):
            folder = self.root / top / machine
            if is_folder(folder):
                yield folder
        yield from (self.root / name for name in _DEFAULT_FOLDERS)


_DEFAULT_FOLDERS = ("lib64", "usr/lib64", "lib", "usr/lib")


def _iter_loaders(file: LoadedFile) -> Iterator[LoadedFile]:
    """The file, whoever loaded it and so on, up to the program."""
    step: LoadedFile | None = file
    while step is not None:
        yield step
        step = step.loader
