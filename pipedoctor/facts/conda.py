"""A conda environment, as its conda-meta folder records it."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class CondaPackage(Part, frozen=True, kw_only=True):
    """One record of conda-meta."""

    name: str
    version: str
    build: str = ""
    channel: str = ""
    """``conda-forge``, ``pkgs/main``, ``pytorch``, ``pypi`` ..."""


class Clobbered(Part, frozen=True, kw_only=True):
    """A conda package whose files pip has replaced or removed."""

    name: str
    """As pip calls it: ``torch``."""
    package: str = ""
    """As conda calls it, where that is another name: ``pytorch``."""
    conda_version: str
    pip_version: str = ""
    how: str = ""
    """``anchor missing``, ``two metadata folders``, ``metadata replaced by pip``."""


class Conda(Fact, frozen=True, kw_only=True):
    """The records, by name; only for environments that conda made."""

    section: ClassVar[str] = "conda"

    prefix: str = ""
    packages: tuple[CondaPackage, ...] = ()
    clobbered: tuple[Clobbered, ...] = ()
    frozen: bool = False
    pinned: tuple[str, ...] = ()

    def find(self, name: str) -> CondaPackage | None:
        """The record of this name."""
        return next((record for record in self.packages if record.name == name), None)
