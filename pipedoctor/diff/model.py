"""What a comparison says, as contract `pipedoctor.diff/1` writes it."""

from typing import Any, Literal

import msgspec

from pipedoctor.check import Location
from pipedoctor.report.model import (
    ConfidenceName,
    ReportedRemedy,
    SeverityName,
    ToolInfo,
)

DiffSchema = Literal["pipedoctor.diff/1"]
DifferenceGroup = Literal["judged", "version", "limit", "setting"]
ValueState = Literal["known", "missing", "unknown"]


class ComparedSide(msgspec.Struct, frozen=True, kw_only=True):
    """One of the sides, and where its facts come from."""

    name: str
    origin: Literal["report", "text", "record", "here", "kept"]
    created: str = ""
    """UTC; empty: not known."""
    place: str = ""
    """``Docker container, Debian 12``; empty: not known."""


class SideValue(msgspec.Struct, frozen=True, kw_only=True):
    """What one side has; `value` is null unless it is known."""

    state: ValueState
    value: Any = None
    shown: str


class DifferingFinding(msgspec.Struct, frozen=True, kw_only=True):
    """The finding of a check that some sides have and others have not."""

    code: str
    name: str
    severity: SeverityName
    confidence: ConfidenceName
    title: str
    summary: str
    location: Location | None = None
    cause: str = ""
    """Code of the finding that explains it."""
    remedies: tuple[ReportedRemedy, ...] = ()
    sources: tuple[str, ...] = ()


class FoldedDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference that needs no attention of its own, and why."""

    field: str
    title: str
    values: tuple[SideValue, ...]
    because: str
    """``noise``, or ``follows torch.version``, or ``evidence of PDR701``."""
    count: int = 1
    """Entries of the same list of which the same is true; this is the first."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not the same on all sides."""

    rank: int = 0
    group: DifferenceGroup
    section: str = ""
    """Of the facts; of a finding: the first that its check reads."""
    field: str
    """``packages.entries[numpy].version``; of a finding: the code of its check."""
    title: str
    values: tuple[SideValue, ...]
    apart: tuple[int, ...] = ()
    """Sides (counted from 0) that differ from the majority, if there is one."""
    component: str = ""
    """Its part of the machine in the table of culprits."""
    tickets: int = 0
    """Solved tickets in which this part was the cause."""
    why: str = ""
    finding: DifferingFinding | None = None
    evidence: tuple[FoldedDifference, ...] = ()
    """Facts that the finding rests on, side by side."""


class UnknownItem(msgspec.Struct, frozen=True, kw_only=True):
    """What one side does not tell, so that nobody knows whether it differs."""

    what: str
    """A section of the facts, or the name of a check."""
    side: int
    reason: str


class OutlierSide(msgspec.Struct, frozen=True, kw_only=True):
    """Of three and more: the side that differs from the others most often."""

    side: int
    alone_in: int
    """Differences in which this side alone stands against the majority."""
    of: int


class DifferenceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many differences there are."""

    judged: int = 0
    version: int = 0
    limit: int = 0
    setting: int = 0
    folded: int = 0


class Diff(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `diff` has to say."""

    schema: DiffSchema = "pipedoctor.diff/1"
    tool: ToolInfo = ToolInfo()
    created: str
    seconds: float
    sides: tuple[ComparedSide, ...]
    answer: str
    """One sentence: the likeliest culprit."""
    command: str = ""
    """What cures it, where a check says so; to be typed on the side that has it."""
    differences: tuple[Difference, ...] = ()
    folded: tuple[FoldedDifference, ...] = ()
    shared: tuple[str, ...] = ()
    """Names of checks whose findings all sides have: they explain no difference."""
    unknown: tuple[UnknownItem, ...] = ()
    compared: int = 0
    """Facts that at least two sides know."""
    job: str = ""
    """Whose DataLoader all sides were judged with; empty: each with its own."""
    apart: OutlierSide | None = None
    summary: DifferenceCounts = DifferenceCounts()

    @property
    def folded_count(self) -> int:
        """How many differences are folded, those alike counted each."""
        return sum(one.count for one in self.folded)

    @property
    def is_comparable(self) -> bool:
        """Could anything be compared at all?"""
        return bool(self.compared)
