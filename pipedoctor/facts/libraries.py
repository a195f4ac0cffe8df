"""Which shared libraries the dynamic linker would take, and why."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Library(Part, frozen=True, kw_only=True):
    """One candidate file for a library."""

    soname: str
    """``libcudnn.so.9``."""
    path: str
    version: str = ""
    """From the real file name or the package that owns it: ``9.20.0``."""
    found_by: str = ""
    """``DT_RPATH``, ``LD_LIBRARY_PATH``, ``DT_RUNPATH``, ``cache``, ``default``."""
    wanted_by: str = ""
    """The file whose search this is: ``torch/lib/libtorch_cuda.so``."""
    chosen: bool = False
    """The first of its soname in the linker's order."""


class Libraries(Fact, frozen=True, kw_only=True):
    """Candidates in search order; several of one soname are told apart by `chosen`."""

    section: ClassVar[str] = "libraries"

    entries: tuple[Library, ...] = ()
    missing: tuple[Library, ...] = ()
    """Wanted and found nowhere; `path` is empty."""

    def of(self, stem: str) -> tuple[Library, ...]:
        """Every candidate whose soname starts with this: ``libcudnn``."""
        return tuple(entry for entry in self.entries if entry.soname.startswith(stem))
