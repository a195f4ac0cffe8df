"""An entry of the journal: one fix, what it does, how far it came."""

import enum

import msgspec

from pipedoctor.fix.files.files import ReplacedFile
from pipedoctor.fix.plan.plan import CommandStep, RemoveStep

SCHEMA = "pipedoctor.journal/1"

JournalRecord = CommandStep | ReplacedFile | RemoveStep


class FixState(enum.Enum):
    """How far a fix came; the value is how the history says it."""

    PLANNED = "planned"
    APPLYING = "applying"
    APPLIED = "applied"
    PROVED = "proved"
    ROLLING_BACK = "rolling-back"
    ROLLED_BACK = "rolled-back"
    UNDOING = "undoing"
    UNDONE = "undone"
    FAILED = "failed"


UNFINISHED_STATES = frozenset(
    (
        FixState.PLANNED,
        FixState.APPLYING,
        FixState.APPLIED,
        FixState.ROLLING_BACK,
        FixState.UNDOING,
    )
)
"""States in which nobody leaves an entry but by dying."""


class Authenticity(enum.Enum):
    """Who has written an entry, as far as this process can tell."""

    GENUINE = "genuine"
    """It carries the seal of this journal's key."""
    UNSEALED = "unsealed"
    """It has no seal: 0.1 has written it, or somebody else."""
    ALTERED = "altered"
    """Its seal is not that of its text."""
    UNKNOWN = "unknown"
    """The key is not ours to read."""


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """
    One fix: written before anything changes, and again after every step.

    `id` is the day and a number: ``2026-11-21-1``. Times are UTC. `step` counts
    the steps that were begun.
    """

    schema: str = SCHEMA
    id: str
    state: FixState
    subject: str
    before: str
    after: str
    lasts: str
    steps: tuple[JournalRecord, ...]
    step: int = 0
    root: bool = True
    check: str = ""
    irreversible: str = ""
    reason: str = ""
    """Why it was rolled back, or failed."""
    when: str
    changed: str = ""
    """When the state last changed."""
    who: str
    """The user who asked, also behind sudo."""
    uid: int
    pid: int
    command: tuple[str, ...] = ()
    version: str
    authenticity: Authenticity = Authenticity.UNSEALED
    """Found out when it is read; what the file says of it does not count."""

    @property
    def is_genuine(self) -> bool:
        """Has nobody but `fix`, as this journal's owner, written it?"""
        return self.authenticity is Authenticity.GENUINE

    @property
    def is_doubtful(self) -> bool:
        """May somebody else have written it, as far as we can tell?"""
        return self.authenticity in {Authenticity.UNSEALED, Authenticity.ALTERED}

    @property
    def is_in_force(self) -> bool:
        """Is its effect, as far as we know, in force?"""
        return self.state is FixState.PROVED

    @property
    def is_unfinished(self) -> bool:
        """Was it left in the middle, or is somebody still at it?"""
        return self.state in UNFINISHED_STATES

    @property
    def sort_key(self) -> tuple[str, str, int]:
        """Oldest first."""
        day, _, number = self.id.rpartition("-")
        return self.when, day, int(number) if number.isdecimal() else 0


class DamagedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that nobody can read any more, and why."""

    id: str
    reason: str


class ForeignItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the folder of a journal that is no entry: it is left alone."""

    name: str
    reason: str
