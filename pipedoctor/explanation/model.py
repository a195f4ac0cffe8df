"""The explanation, as contract `pipedoctor.explanation/1` writes it."""

from typing import Literal

import msgspec

from pipedoctor.report.model import ConfidenceName, ReportedRemedy, ToolInfo

ExplanationSchema = Literal["pipedoctor.explanation/1"]
LocalState = Literal["confirmed", "ruled-out", "unknown"]


class QuotedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log, counted from 1."""

    number: int
    text: str
    rank: str = ""
    """Of several processes, or nodes, the one that said it."""


class SuggestedRemedy(ReportedRemedy, frozen=True, kw_only=True):
    """A remedy, and the places that it is for: none means all."""

    fits: tuple[str, ...] = ()
    for_here: bool = True
    """Is it for the kind of place that was looked at?"""


class SuspectedCause(msgspec.Struct, frozen=True, kw_only=True):
    """A cause: the lines that name it, what is so here, what cures it."""

    rank: int
    cause: str
    name: str
    confidence: ConfidenceName
    by_words: bool = False
    """No line of the log is known: its words are only alike."""
    summary: str = ""
    lines: tuple[QuotedLine, ...] = ()
    here: LocalState = "unknown"
    why_here: str = ""
    remedies: tuple[SuggestedRemedy, ...] = ()
    assumed: str = ""
    """What the remedies assume of a job that is not known, and the options that tell it."""
    decide: str = ""
    """The cheapest command that would decide whether it is so."""
    versions: tuple[str, ...] = ()
    """Whose texts the lines are."""
    sources: tuple[str, ...] = ()


class RepeatedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that only repeats another cause."""

    line: int
    of: str


class LoggedException(msgspec.Struct, frozen=True, kw_only=True):
    """What the code itself raised, and where."""

    kind: str
    message: str
    number: int
    path: str = ""
    line: int = 0
    function: str = ""
    hint: str = ""
    rank: str = ""


class SkippedSignature(msgspec.Struct, frozen=True, kw_only=True):
    """A file of signatures, or one of them, that is broken: the rest was used."""

    name: str
    reason: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What `explain` has to say of a log."""

    schema: ExplanationSchema = "pipedoctor.explanation/1"
    tool: ToolInfo = ToolInfo()
    source: str = ""
    lines: int = 0
    place: str = ""
    """The kind of place that was looked at: ``docker``; empty: not known."""
    log_place: str = ""
    """The kind of place that the log is from, which remedies are for; empty: it does not say."""
    causes: tuple[SuspectedCause, ...] = ()
    not_environment: bool = False
    echoes: tuple[RepeatedLine, ...] = ()
    fault: LoggedException | None = None
    unread: tuple[str, ...] = ()
    """What of the log was not read, each with the reason."""
    unresponsive: tuple[str, ...] = ()
    """Places of this machine that did not answer: ``/data (data) does not answer: ...``."""
    left_out: tuple[SkippedSignature, ...] = ()
    """Signatures that could not be used."""
