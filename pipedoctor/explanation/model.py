"""The explanation, as contract `pipedoctor.explanation/1` writes it."""

from typing import Literal

import msgspec

from pipedoctor.report.model import Cure, Sureness, Tool

Schema = Literal["pipedoctor.explanation/1"]
Here = Literal["confirmed", "ruled-out", "unknown"]
PLACES = ("bare", "docker", "kubernetes", "slurm")


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log, counted from 1."""

    number: int
    text: str
    rank: str = ""
    """Of several processes, or nodes, the one that said it."""


class Treatment(Cure, frozen=True, kw_only=True):
    """A remedy, and the places that it is for: none means all."""

    fits: tuple[str, ...] = ()
    for_here: bool = True
    """Is it for the kind of place that was looked at?"""


class Suspect(msgspec.Struct, frozen=True, kw_only=True):
    """A cause: the lines that name it, what is so here, what cures it."""

    rank: int
    cause: str
    name: str
    confidence: Sureness
    by_words: bool = False
    """No line of the log is known: its words are only alike."""
    summary: str = ""
    lines: tuple[Quote, ...] = ()
    here: Here = "unknown"
    why_here: str = ""
    remedies: tuple[Treatment, ...] = ()
    decide: str = ""
    """The cheapest command that would decide whether it is so."""
    versions: tuple[str, ...] = ()
    """Whose texts the lines are."""
    sources: tuple[str, ...] = ()


class Repeat(msgspec.Struct, frozen=True, kw_only=True):
    """A line that only repeats another cause."""

    line: int
    of: str


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What the code itself raised, and where."""

    kind: str
    message: str
    number: int
    path: str = ""
    line: int = 0
    function: str = ""
    hint: str = ""
    rank: str = ""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A file of signatures, or one of them, that is broken: the rest was used."""

    name: str
    reason: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What `explain` has to say of a log."""

    schema: Schema = "pipedoctor.explanation/1"
    tool: Tool = Tool()
    source: str = ""
    lines: int = 0
    place: str = ""
    """The kind of place that was looked at: ``docker``; empty: not known."""
    causes: tuple[Suspect, ...] = ()
    not_environment: bool = False
    echoes: tuple[Repeat, ...] = ()
    fault: Fault | None = None
    left_out: tuple[LeftOut, ...] = ()
    """Signatures that could not be used."""
