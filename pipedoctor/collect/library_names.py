"""How library files are called in a report, and whose they are."""

import os
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.library_version import version
from pipedoctor.collect.linker import Loaded, Search
from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Interpreter, Library


class Naming:
    """How files are called in a report: inside a folder of the path by the rest."""

    def __init__(self, here: Interpreter) -> None:
        self._folders = [Path(folder) for folder in here.path]
        own = [here.prefix] if here.kind in {"conda", "venv"} else []
        self._homes = {os.path.realpath(p) for p in (*own, *here.path) if p}

    def short(self, path: Path) -> str:
        """``torch/lib/libc10.so`` inside a folder of the path, else in full."""
        straight = Path(os.path.normpath(path))
        for folder in self._folders:
            if straight.is_relative_to(folder):
                return legible(str(straight.relative_to(folder)))
        return legible(str(straight))

    def of(self, file: Loaded) -> str:
        """The short name of a loaded file."""
        return self.short(file.path)

    def bundled(self, path: Path) -> bool:
        """Does it lie in the examined environment, links followed?"""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(home) for home in self._homes)

    def entries(self, search: Search) -> Iterator[Library]:
        """What a search gave, as facts."""
        for place, file in enumerate(search.candidates):
            real = os.path.realpath(file.path)
            plain = os.path.normpath(file.path)
            yield Library(
                soname=legible(search.name),
                path=legible(plain if os.path.realpath(plain) == real else real),
                real=legible(real) if real != plain else "",
                version=version(file.path),
                found_by=file.found_by,
                wanted_by=self.of(search.wanted_by),
                chosen=place == 0,
                bundled=self.bundled(file.path),
            )
