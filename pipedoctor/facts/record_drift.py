"""How the environment differs from the file that records it."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Drifted(Part, frozen=True, kw_only=True):
    """A package that is not as the file says."""

    name: str
    wanted: str
    """``2.13.0``, ``>=2,<3``; empty: any version."""
    found: str = ""
    """The installed version; empty: not installed."""


class RecordDrift(Fact, frozen=True, kw_only=True):
    """What a comparison with the file that the user named has shown."""

    section: ClassVar[str] = "record_drift"

    path: str
    kind: str
    """``requirements``, ``environment.yml``, ``pylock``, ``uv.lock``."""
    judged: int
    """Packages that were compared."""
    drifted: tuple[Drifted, ...] = ()
