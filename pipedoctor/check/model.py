"""A check is a pure function: facts in, findings out."""

import enum
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, TypeAlias

import msgspec

from pipedoctor.check.remedy import Remedy
from pipedoctor.facts import Fact, Facts, Source, Spread
from pipedoctor.facts.applicability import CodeSubject, explain_absent_subject, is_applicable
from pipedoctor.facts.code_events.details import UnreadableEventError

P = ParamSpec("P")
EPOCH = "fraction of epoch time"
"""The unit of gains that can be compared with each other."""


class Severity(enum.IntEnum):
    """What a finding costs, mildest first."""

    NOTE = 1
    SLOWS = 2
    RISKS = 3
    BREAKS = 4


class Confidence(enum.IntEnum):
    """How sure a finding is, least first."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3


class Location(msgspec.Struct, frozen=True, kw_only=True):
    """A place in code: lines and columns count from 1."""

    path: str
    line: int
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None


class FlowStep(msgspec.Struct, frozen=True, kw_only=True):
    """A place on the way of a value, and what happens to it there."""

    location: Location
    text: str
    """``made``, ``returned by build()``, ``wrapped by Prefetcher``, ``iterated``."""


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """What the remedy is worth, with its interval."""

    value: float
    low: float
    high: float
    unit: str
    basis: typing.Literal["measured", "modelled"]
    seconds: float | None = None
    """Of each epoch, where it is one of epoch time and the epoch is known."""

    @classmethod
    def from_speedup(cls, ratio: Spread, unit: str) -> "Gain":
        """What is saved where something was measured to be so many times as fast."""
        return cls(
            value=1 - 1 / ratio.value,
            low=1 - 1 / ratio.low,
            high=1 - 1 / ratio.high,
            unit=unit,
            basis="measured",
        )

    @property
    def epoch_fraction(self) -> float:
        """The fraction of epoch time; 0 where it is one of something else."""
        return self.value if self.unit == EPOCH else 0.0


class Counterfactual(msgspec.Struct, frozen=True, kw_only=True):
    """
    What a remedy changes of a pipeline, so that its gain can be predicted.

    Each field says what would be different; the defaults: nothing.
    """

    tuned: bool = False
    """The setting that was measured to be the best."""
    workers: int | None = None
    persistent: bool | None = None
    in_order: bool | None = None
    cores: float | None = None
    """CPUs that the job may use."""
    storage: float = 1.0
    """How many times as fast."""
    decode: float = 1.0
    """How many times as fast."""
    uint8: bool = False
    """Bytes instead of floats in a batch."""
    one_thread: bool = False
    """Numerical libraries start no threads of their own."""
    blas: bool = False
    """Numpy's BLAS alone; then what was measured of it counts."""
    faultless: bool = False
    """Freed memory is kept for the next item."""
    uncollected: bool = False
    """Python's garbage collector leaves alone what was there before."""
    packed: bool = False
    """A batch is handed over in a few tensors."""
    opened: float = 0.0
    """Share of the openings of containers that are spared."""
    freed: str = ""
    """A limit that is lifted, as `Pipeline.limits` calls it."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong, why we believe it, and what cures it."""

    severity: Severity
    summary: str
    evidence: Mapping[str, Any] = {}
    remedies: tuple[Remedy, ...] = ()
    confidence: Confidence = Confidence.CERTAIN
    location: Location | None = None
    also_at: tuple[Location, ...] = ()
    together: tuple[tuple[Location, Location], ...] = ()
    """Pairs of places that are one thing: who accepts one of them accepts the other."""
    flow: tuple[FlowStep, ...] = ()
    """The way of the loader that it concerns, from where it is made to its loop."""
    gain: Gain | None = None
    counterfactual: Counterfactual | None = None
    """Priced where the pipeline was measured; the gain then is one of epoch time."""
    assumed: str = ""
    """What is assumed of a job that is not known: ``4 workers with batches of 16.0 MiB``."""


Findings: TypeAlias = Iterator[Finding]
Fix: TypeAlias = typing.Literal["", "machine", "code"]
"""What `pipedoctor fix` may change for a check; nothing: its remedies are advice."""


class CannotJudge(Exception):  # noqa: N818  (a verdict, not an error)
    """
    A check raises this when its facts are there but do not suffice; says why.

    Where an optional fact would have sufficed, `lacks` names it: why it is not known is
    the reason then.
    """

    def __init__(self, reason: str = "", *, lacks: type[Fact] | None = None) -> None:
        super().__init__(reason or (f"{lacks.section}: not known" if lacks else ""))
        self.lacks = lacks


class NotApplicable(CannotJudge):
    """A check raises this when there is nothing of its kind to judge, or nobody asked."""


class Verdict(msgspec.Struct, frozen=True):
    """What one check says of one machine; `skipped` says why it could not judge."""

    code: str
    findings: tuple[Finding, ...] = ()
    skipped: str = ""
    trace: str = ""
    accepted: bool = False
    """What it found is a risk that the user accepts; `skipped` says until when."""
    applicable: bool = True
    """False: there was nothing of its kind to judge, or nobody asked for it."""


@dataclass(frozen=True)
class Check(Generic[P]):
    """An examination with a code: call it in tests, `run` it on whole machines."""

    code: str
    title: str
    examine: Callable[P, Findings]
    after: tuple[str, ...] = ()
    fix: Fix = ""
    subject: CodeSubject = ""
    background: bool = False
    """Its notes are of no job in particular: they come after all others."""
    leads: bool = False
    """What it finds hides the rest of the truth: it stands first, whatever it weighs."""
    merges: bool = False
    """What the same change mends is one finding of a report, in however many files it is."""
    pack: str = field(default="", compare=False)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Finding]:
        """Examine facts given by hand."""
        return list(self.examine(*args, **kwargs))

    @property
    def name(self) -> str:
        """The name on the command line: ``shm-too-small``."""
        return self.examine.__name__.replace("_", "-")

    @property
    def doc(self) -> str:
        """The page `pipedoctor explain` shows."""
        return inspect.getdoc(self.examine) or ""

    @property
    def sources(self) -> tuple[str, ...]:
        """The addresses listed under the page's last heading."""
        _, _, tail = self.doc.partition("## Sources")
        lines = (line.strip() for line in tail.splitlines())
        items = (line[2:].strip("<> ") for line in lines if line.startswith("- "))
        return tuple(item for item in items if item.startswith("https://"))

    @property
    def needs(self) -> Mapping[type[Fact], bool]:
        """The facts it reads (positional-only), and whether each is required."""
        return _read_needs(self.examine)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The thresholds a user may override (keyword-only), with their defaults."""
        return getattr(inspect.unwrap(self.examine), "__kwdefaults__", None) or {}

    def run(self, facts: Facts, **settings: Any) -> Verdict:
        """Judge a machine, or say which missing facts made that impossible."""
        for kind, required in self.needs.items():
            known = facts.get(kind)
            if required and (known is None or known.unusable_reason):
                why = known.unusable_reason if known else facts.get_unknown_reason(kind)
                asked = known is not None or is_applicable(facts, kind)
                return Verdict(self.code, skipped=f"{kind.section}: {why}", applicable=asked)
        examine: Callable[..., Findings] = self.examine
        try:
            found = tuple(examine(*map(facts.get, self.needs), **settings))
        except (CannotJudge, UnreadableEventError) as reason:
            asked = not isinstance(reason, NotApplicable)
            return Verdict(self.code, skipped=_explain(reason, facts), applicable=asked)
        source = facts.get(Source) if self.needs.get(Source) and not found else None
        absent = explain_absent_subject(source, self.subject) if source else ""
        return Verdict(self.code, found, skipped=absent, applicable=not absent)


def _explain(reason: CannotJudge | UnreadableEventError, facts: Facts) -> str:
    lacks = reason.lacks if isinstance(reason, CannotJudge) else None
    return f"{lacks.section}: {facts.get_unknown_reason(lacks)}" if lacks else str(reason)


@functools.cache
def _read_needs(examine: Callable[..., Findings]) -> Mapping[type[Fact], bool]:
    """Read off the code: `inspect.signature` takes as long as the check itself."""
    code: types.CodeType = inspect.unwrap(examine).__code__
    hints: dict[str, Any] = getattr(examine, "__annotations__", {})
    if any(isinstance(hint, str) for hint in hints.values()):
        hints = typing.get_type_hints(examine)
    needs: dict[type[Fact], bool] = {}
    for name in code.co_varnames[: code.co_posonlyargcount]:
        hint = hints[name]
        optional = typing.get_origin(hint) in (types.UnionType, typing.Union)
        needs[typing.get_args(hint)[0] if optional else hint] = not optional
    return needs


def check(  # noqa: PLR0913  (what a check says of itself)
    code: str,
    title: str,
    *,
    after: tuple[str, ...] = (),
    fix: Fix = "",
    subject: CodeSubject = "",
    background: bool = False,
    leads: bool = False,
    merges: bool = False,
) -> Callable[[Callable[P, Findings]], Check[P]]:
    """
    Turn a function into a `Check`; nothing is registered, the catalogue looks for it.

    `after` names the codes of causes: when one of them speaks too, this finding is
    its symptom and is folded under it. `fix` tells the page what some remedy of it
    has: an ``undo``, files to put or to remove (``machine``), or edits (``code``).
    `subject` is what a check of code judges: where the code has none, and nothing is
    found, it is not applicable. `background`: what it notes is of no job in particular.
    `leads`: what hangs keeps others from being judged, so it is named before them.
    `merges`: what the same change mends is one finding, in however many files it is.
    """

    def wrap(examine: Callable[P, Findings]) -> Check[P]:
        return Check(code, title, examine, after, fix, subject, background, leads, merges)

    return wrap
