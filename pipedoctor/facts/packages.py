"""Distributions on the examined interpreter's import path, in its order."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.lazy_pattern import compile_lazily

HARMLESS_FILE = compile_lazily(
    r"(^|/)(tests?|docs?|examples?|benchmarks?|scripts)/|(^|/)[A-Z]+(\.\w+)?$"
    r"|^[^/]+/__init__\.pyi?$|\.(txt|md|rst|typed)$",
)
"""Files that packages install at the top level by mistake, and shared namespaces."""


class Distribution(Part, frozen=True, kw_only=True):
    """One installed distribution; `name` is normalised (lower case, dashes)."""

    name: str
    version: str
    location: str = ""
    """The folder of the import path that it lies in; empty in facts from a text."""
    installer: str = ""
    """``pip``, ``uv``, ``conda`` ... as the INSTALLER file or the text says."""
    origin: str = ""
    """``url``, ``vcs``, ``editable``, ``directory`` from direct_url.json; or empty."""
    build: str = ""
    """conda's build string."""
    channel: str = ""
    tags: tuple[str, ...] = ()
    """Wheel tags, for the few packages whose binary matters."""


class Shared(Part, frozen=True, kw_only=True):
    """Files that two distributions both claim to own."""

    owners: tuple[str, ...]
    files: int
    example: str
    """One of them: a binary before code, code before texts and tests."""
    code_files: int | None = None
    """Those that an import may load; None: not counted, only the example is known."""

    @property
    def is_harmless(self) -> bool:
        """Are all of them tests, texts and markers of shared namespaces?"""
        if self.code_files is None:
            return HARMLESS_FILE.search(self.example) is not None
        return not self.code_files


class Packages(Fact, frozen=True, kw_only=True):
    """All of them, in the order of the path; not `complete`: an excerpt from a text."""

    section: ClassVar[str] = "packages"

    entries: tuple[Distribution, ...] = ()
    shared: tuple[Shared, ...] = ()
    unreadable: tuple[str, ...] = ()
    """Metadata folders that could not be read, with the reason."""
    complete: bool = True

    def find(self, name: str) -> Distribution | None:
        """The distribution that an import would take: the first of this name."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def is_absent(self, name: str) -> bool:
        """Is nothing of this name installed, for certain?"""
        return self.complete and not self.unreadable and self.find(name) is None

    def group_by_name(self) -> dict[str, list[Distribution]]:
        """Every copy of every name, for whoever asks for many: one walk for all."""
        copies: dict[str, list[Distribution]] = {}
        for entry in self.entries:
            copies.setdefault(entry.name, []).append(entry)
        return copies

    def find_all(self, name: str) -> tuple[Distribution, ...]:
        """Every copy of this name, in the order of the path."""
        return tuple(entry for entry in self.entries if entry.name == name)
