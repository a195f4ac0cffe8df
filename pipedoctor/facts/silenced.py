"""What silences findings and silenced none; known only after judging."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.source import Ignore


class Stale(Part, frozen=True, kw_only=True):
    """A finding that a baseline knows and that is gone."""

    path: str
    """Of the baseline."""
    line: int
    told: str
    """``PDR201 print-in-item in train.py``."""


class Silenced(Fact, frozen=True, kw_only=True):
    """Comments ``# pipedoctor: ignore[...]`` of the code, and the baseline."""

    section: ClassVar[str] = "silenced"

    unused: tuple[Ignore, ...] = ()
    """Those that named something which is not there."""
    stale: tuple[Stale, ...] = ()
    """What the baseline knows and nobody finds any more."""
