"""Which installed files are not as their distributions recorded them."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class ModifiedDistribution(Part, frozen=True, kw_only=True):
    """A distribution with files that differ from its record."""

    name: str
    version: str
    changed: tuple[str, ...] = ()
    """Other content than recorded, by their paths in the record; at most twenty."""
    missing: tuple[str, ...] = ()
    """Recorded, and not there; at most twenty."""
    changed_count: int = 0
    missing_count: int = 0


class InstalledFiles(Fact, frozen=True, kw_only=True):
    """What a comparison of the files with their records has shown."""

    section: ClassVar[str] = "installed_files"

    entries: tuple[ModifiedDistribution, ...] = ()
    """Only distributions of which something differs."""
    compared: int = 0
    """Files whose content was compared."""
    unrecorded: tuple[str, ...] = ()
    """Distributions whose files nobody recorded with checksums."""
    unread: int = 0
    """Files that could not be read, or for which there was no time left."""
