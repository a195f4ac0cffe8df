"""Which shared libraries the dynamic linker would take, and why."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Library(Part, frozen=True, kw_only=True):
    """One candidate file for a library."""

    soname: str
    """``libcudnn.so.9``."""
    path: str
    """As the linker comes to it; empty: nowhere."""
    real: str = ""
    """Where `path` leads when links are followed; empty: it is no link."""
    version: str = ""
    """From the real file name or the package that owns it: ``9.20.0``."""
    found_by: str = ""
    """
    ``DT_RPATH``, ``LD_LIBRARY_PATH``, ``DT_RUNPATH``, ``cache``, ``default``,
    ``path`` (named in full), ``LD_PRELOAD``; ``torch``: torch looks there itself.
    """
    wanted_by: str = ""
    """The file whose search this is: ``torch/lib/libtorch_cuda.so``."""
    chosen: bool = False
    """The first of its soname in the linker's order."""
    bundled: bool = False
    """Does it lie in the examined environment?"""

    @property
    def real_path(self) -> str:
        """The file itself, links followed."""
        return self.real or self.path


class Unmet(Part, frozen=True, kw_only=True):
    """Versions of symbols that a file wants and the library that it gets lacks."""

    wanted_by: str
    library: str
    """``libstdc++.so.6``."""
    path: str
    found_by: str = ""
    versions: tuple[str, ...]
    """``GLIBCXX_3.4.32``: what is missing, the newest last."""
    newest: str = ""
    """The newest of its kind that is there: ``GLIBCXX_3.4.30``."""


class Libraries(Fact, frozen=True, kw_only=True):
    """Candidates in search order; several of one soname are told apart by `find_chosen`."""

    section: ClassVar[str] = "libraries"

    entries: tuple[Library, ...] = ()
    missing: tuple[Library, ...] = ()
    """Wanted and found nowhere; `path` is empty, `found_by` says who named it."""
    unmet: tuple[Unmet, ...] = ()
    examined: tuple[str, ...] = ()
    """The files that were opened first, as an import would: ``torch/_C...so``."""

    def find_candidates(self, *stems: str) -> tuple[Library, ...]:
        """Every candidate whose soname starts with one of these: ``libcudnn``."""
        return tuple(entry for entry in self.entries if entry.soname.startswith(stems))

    def find_chosen(self, *stems: str) -> tuple[Library, ...]:
        """Those of them that would be loaded."""
        return tuple(entry for entry in self.find_candidates(*stems) if entry.chosen)
