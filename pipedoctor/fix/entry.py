"""An entry of the journal: one fix, what it does, how far it came."""

import enum

import msgspec

from pipedoctor.fix.files import Written
from pipedoctor.fix.plan import Remove, Run

SCHEMA = "pipedoctor.journal/1"

Record = Run | Written | Remove


class State(enum.Enum):
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


UNFINISHED = frozenset(
    (State.PLANNED, State.APPLYING, State.APPLIED, State.ROLLING_BACK, State.UNDOING)
)
"""States in which nobody leaves an entry but by dying."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """
    One fix: written before anything changes, and again after every step.

    `id` is the day and a number: ``2026-11-21-1``. Times are UTC. `step` counts
    the steps that were begun.
    """

    schema: str = SCHEMA
    id: str
    state: State
    subject: str
    before: str
    after: str
    lasts: str
    steps: tuple[Record, ...]
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

    @property
    def stands(self) -> bool:
        """Is its effect, as far as we know, in force?"""
        return self.state is State.PROVED

    @property
    def unfinished(self) -> bool:
        """Was it left in the middle, or is somebody still at it?"""
        return self.state in UNFINISHED

    @property
    def order(self) -> tuple[str, str, int]:
        """Oldest first."""
        day, _, number = self.id.rpartition("-")
        return self.when, day, int(number) if number.isdecimal() else 0


class Damaged(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that nobody can read any more, and why."""

    id: str
    reason: str
