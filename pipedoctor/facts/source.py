"""What is known about training code without running it: exact places, small facts."""

from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast

import msgspec

from pipedoctor.facts.base import Fact, Part
from pipedoctor.facts.call_text import Call, Import, Span
from pipedoctor.facts.code_events.details import EventDetails, Scalar, read_details
from pipedoctor.facts.source_marks import Mark, Minimum

ValueOrigin = Literal["literal", "default", "inferred", "unknown", "absent"]
"""
How a value is known: written there; the default of an option or a parameter;
followed through variables; not known; not given, so that torch's default holds.
"""
D = TypeVar("D", bound=EventDetails)
D_co = TypeVar("D_co", bound=EventDetails, covariant=True)


class Spot(Part, frozen=True, kw_only=True):
    """A place in a file; lines and columns count from 1, columns in characters."""

    path: str
    line: int
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None
    cell: int = 0
    """In a notebook the number of the cell, whose lines then count; else 0."""


class Skipped(Part, frozen=True, kw_only=True):
    """A file that was not read as code, and why."""

    path: str
    reason: str


MAIN_GUARD = "under the main guard"
"""Why a function of a file is missing where the file is imported: see `Argument.why`."""


class Argument(Part, frozen=True, kw_only=True):
    """An argument of a call, and how its value is known."""

    how: ValueOrigin
    value: Scalar = None
    form: str = ""
    """What it is where it is no scalar: ``lambda``, ``local function``, ``call``..."""
    text: str = ""
    """As it is written, in short."""
    name: str = ""
    """The full name of what is called or referred to, where that is known."""
    why: str = ""
    """``default of --workers``."""
    at: Spot | None = None

    @property
    def is_known(self) -> bool:
        """Is `value` what the call will get, as far as the code tells?"""
        return self.how != "unknown"


ABSENT_ARGUMENT = Argument(how="absent")


class Dataset(Part, frozen=True, kw_only=True):
    """A class whose items are loaded, or one of a framework that is used here."""

    name: str
    at: Spot | None = None
    style: Literal["map", "iterable", ""] = ""
    light: bool = False
    """Nothing in its items reads, decodes, parses or transforms anything."""
    epoch: tuple[str, ...] = ()
    """Attributes of plain numbers that count epochs and are read per item."""
    bases: tuple[str, ...] = ()
    """Classes of the project from which it has its items as they are, the nearest first."""

    @property
    def classes(self) -> tuple[str, ...]:
        """It, and those whose items are its own."""
        return (self.name, *self.bases)


class LoaderCall(Part, frozen=True, kw_only=True):
    """A DataLoader that is made, and what it feeds."""

    at: Spot
    made_at: Spot | None = None
    """Where the class is called, if `at` is a call of the function that does so."""
    name: str
    """The class, by its full name."""
    target: str = ""
    """The variable it is bound to."""
    function: str = ""
    arguments: dict[str, Argument] = {}
    complete: bool = True
    """All arguments are seen: nothing came in through an opaque ``**``."""
    role: Literal["train", "eval", ""] = ""
    dataset: Dataset | None = None
    testing: bool = False
    """In a test or a benchmark, where speed and shuffling are nobody's concern."""
    framework: str = ""
    """Lightning, accelerate...: what drives the loop instead of the code itself."""
    repeats: bool = False
    """A loop over it stands in a loop over epochs."""
    sampled: bool = False
    """No loop takes more than its first batch."""
    rebuilt: str = ""
    """What loop makes it again each time: ``for epoch in range(9)``; or empty."""
    renewed: bool = False
    """A loop over epochs makes it, perhaps of other data or not each time."""
    fed: tuple[int, ...] = ()
    """Indices into `Source.loops`."""
    unguarded: bool = False
    """Iterated when the file is merely imported or run, outside a main guard."""
    batch_norm: bool = False
    """Its file, or one that this imports, speaks of BatchNorm."""
    collates: bool = False
    """Its collate function reads, decodes, parses or tokenises."""
    lasting: bool = False
    """Its class iterates in a way of its own, and may keep its workers."""
    sampler_ends: bool | None = None
    """Whether a sampler of the project ends after an epoch; none: not known."""
    evaluates: bool = False
    """It is made for each of several parts of the data, of which one is for evaluation."""
    call: Call | None = None
    """How it is written; none: in a way that nobody can change exactly."""

    @property
    def places(self) -> list[Spot]:
        """Where it is made: the call that decides on its arguments first."""
        return [self.at] if self.made_at is None else [self.at, self.made_at]

    def get(self, name: str) -> Argument:
        """An argument: given, absent, or unknown where some are not seen."""
        known = self.arguments.get(name)
        return known or (ABSENT_ARGUMENT if self.complete else Argument(how="unknown"))


class Loop(Part, frozen=True, kw_only=True):
    """A loop over batches."""

    at: Spot
    function: str = ""
    loaders: tuple[int, ...] = ()
    """Indices into `Source.loaders`; empty: fed by something not known."""
    role: Literal["train", "eval", ""] = ""
    repeats: bool = False
    flow: tuple[tuple[Spot, str], ...] = ()
    """The way of its loader to it: ``made``, ``returned by build()``, ``iterated``."""
    single: bool = False
    """No loop, but a function that makes one step; its callers have the loop."""
    generates: bool = False
    """Each step generates text or the like token by token, beside which copies hardly count."""


class Event(Part, Generic[D_co], frozen=True, kw_only=True):
    """Something that code does, where, and under which circumstances."""

    kind: str
    """A name of `EVENT_KINDS`, or one that only a newer version knows."""
    at: Spot
    name: str = ""
    """The full name of what is called or set."""
    function: str = ""
    owner: str = ""
    """The class to which findings of one cause belong."""
    item: bool = False
    """Runs for an item or a batch, thus in a worker where there are workers."""
    handler: bool = False
    """Inside ``except``: only where something went wrong."""
    guards: tuple[str, ...] = ()
    """The conditions under which it happens, as they are written."""
    loops: int = 0
    """Loops of the same function around it."""
    loop: int = -1
    """The loop over batches around it: an index into `Source.loops`; -1: none."""
    recorded: dict[str, Scalar] = msgspec.field(default_factory=dict[str, Scalar], name="details")
    """All that was recorded of it by name; read `details` and `replacements` instead."""
    call: Call | None = None
    """How it is written, where it is a call whose arguments matter."""
    spans: dict[str, Span] = {}
    """The pieces of it that a remedy would change."""
    imports: tuple[Import, ...] = ()
    """What the file has to import for that."""

    @property
    def details(self) -> D_co:
        """The fields of its kind; raises UnreadableEventError."""
        from pipedoctor.facts.code_events import kinds  # noqa: PLC0415  (60 classes)

        kind = kinds.EVENT_KINDS.get(self.kind, EventDetails)
        return cast("D_co", read_details(kind, self.recorded))

    @property
    def dataset(self) -> str:
        """The dataset whose items it is part of, by the name of its class; or empty."""
        return str(self.recorded.get("dataset") or "")

    @property
    def replacements(self) -> dict[str, str]:
        """By what a remedy replaces each of `spans`; empty: by nothing."""
        return {name: str(self.recorded.get(name, "")) for name in self.spans}


AnyEvent: TypeAlias = Event[EventDetails]
"""An event of a kind that does not matter."""


class Ignore(Part, frozen=True, kw_only=True):
    """A comment ``# pipedoctor: ignore[name, ...]``; no names: everything."""

    at: Spot
    names: tuple[str, ...] = ()


class Source(Fact, frozen=True, kw_only=True, dict=True):
    """The training code in PATHS, as far as it concerns the loading of data."""

    section: ClassVar[str] = "source"

    files: int = 0
    parsed: int = 0
    skipped: tuple[Skipped, ...] = ()
    loaders: tuple[LoaderCall, ...] = ()
    loops: tuple[Loop, ...] = ()
    datasets: int = 0
    """Classes of datasets in PATHS, whether or not they load anything wrongly."""
    events: tuple[Event[Any], ...] = ()
    traits: tuple[str, ...] = ()
    """What is done anywhere in the project: ``set_epoch``, ``batch-norm``..."""
    torch: Minimum | None = None
    python: Minimum | None = None
    ignores: tuple[Ignore, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def unusable_reason(self) -> str:
        """No file that concerns loading could be read: none is healthy."""
        if self.parsed or not self.skipped:
            return ""
        first, *more = self.skipped
        return f"{first.path}: {first.reason}{f'; {len(more)} more' if more else ''}"

    def select_events(self, *kinds: type[D]) -> list[Event[D]]:
        """All events of these kinds, in their order."""
        if len(kinds) == 1:  # most checks ask for one, for each loop and loader anew
            return list(self._events_by_kind.get(kinds[0].kind, ()))
        names = {kind.kind for kind in kinds}
        return [event for event in self.events if event.kind in names]

    @cached_property
    def _events_by_kind(self) -> dict[str, list[Event[Any]]]:
        found: dict[str, list[Event[Any]]] = {}
        for event in self.events:
            found.setdefault(event.kind, []).append(event)
        return found

    def select_item_events(self, *kinds: type[D]) -> list[Event[D]]:
        """Those of these kinds that happen for each item, errors apart."""
        return [e for e in self.select_events(*kinds) if e.item and not e.handler]
