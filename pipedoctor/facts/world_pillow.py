"""The table of Pillow's security fixes."""

from collections.abc import Iterator
from typing import ClassVar

from pipedoctor.facts.world import World
from pipedoctor.facts.world_torch import Row
from pipedoctor.versions import is_at_least


class PillowFix(Row, frozen=True, kw_only=True):
    """A release of Pillow that fixes vulnerabilities."""

    version: str
    python: str = ""
    """The oldest Python that it runs on; empty: not recorded."""
    cves: tuple[str, ...]
    """``CVE-2023-4863``."""


class PillowFixes(World, frozen=True, kw_only=True):
    """Releases that fix vulnerabilities, oldest first."""

    section: ClassVar[str] = "pillow_fixes"

    rows: tuple[PillowFix, ...] = ()

    def iter_newer(self, version: str) -> Iterator[PillowFix]:
        """Those that are newer than this version, oldest first."""
        return (row for row in self.rows if not is_at_least(version, row.version))
