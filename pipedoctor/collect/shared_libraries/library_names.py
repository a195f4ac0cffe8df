"""How library files are called in a report, and whose they are."""

import os
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.mounts import escape_path
from pipedoctor.collect.shared_libraries.library_version import find_version
from pipedoctor.collect.shared_libraries.linker import LibrarySearch, LoadedFile
from pipedoctor.facts import Interpreter, Library


class LibraryNamer:
    """Names of library files for a report, relative to their import path folder."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._folders = [Path(folder) for folder in interpreter.path]
        own = [interpreter.prefix] if interpreter.kind in {"conda", "venv"} else []
        self._homes = {os.path.realpath(p) for p in (*own, *interpreter.path) if p}

    def shorten_path(self, path: Path) -> str:
        """``torch/lib/libc10.so`` inside a folder of the path, else in full."""
        straight = Path(os.path.normpath(path))
        for folder in self._folders:
            if straight.is_relative_to(folder):
                return escape_path(str(straight.relative_to(folder)))
        return escape_path(str(straight))

    def shorten_file(self, file: LoadedFile) -> str:
        """The short name of a loaded file."""
        return self.shorten_path(file.path)

    def is_in_environment(self, path: Path) -> bool:
        """Does it lie in the examined environment, links followed?"""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(home) for home in self._homes)

    def describe_search(self, search: LibrarySearch) -> Iterator[Library]:
        """What a search gave, as facts."""
        for place, file in enumerate(search.candidates):
            real = os.path.realpath(file.path)
            plain = os.path.normpath(file.path)
            yield Library(
                soname=escape_path(search.name),
                path=escape_path(plain if os.path.realpath(plain) == real else real),
                real=escape_path(real) if real != plain else "",
                version=find_version(file.path),
                found_by=file.found_by,
                wanted_by=self.shorten_file(search.wanted_by),
                chosen=place == 0,
                bundled=self.is_in_environment(file.path),
            )
