"""Findings in code: where they are, what they share, and how sure they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Finding,
    Location,
    Severity,
)
from pipedoctor.facts import Interpreter, Site, Source, TorchBuild
from pipedoctor.facts.source import Argument, Event, LoaderCall, Loop, Spot
from pipedoctor.remedy import Remedy
from pipedoctor.versions import numbers, reaches

FORKSERVER_FROM = "3.14"
"""From this Python on, processes on Linux are not forks of their parent."""


def location(at: Spot) -> Location:
    """A place as findings name it; in a notebook the cell is in the path."""
    path = f"{at.path}#cell{at.cell}" if at.cell else at.path
    return Location(
        path=path,
        line=at.line,
        column=at.column,
        end_line=at.end_line,
        end_column=at.end_column,
    )


def at(
    spots: Sequence[Spot],
    severity: Severity,
    summary: str,
    *remedies: Remedy,
    confidence: Confidence = Confidence.CERTAIN,
    counterfactual: Counterfactual | None = None,
    **evidence: Any,
) -> Finding:
    """Say something of a place, and of the others that have the same cause."""
    first, *others = dict.fromkeys(map(location, spots))
    return Finding(
        severity=severity,
        summary=summary,
        evidence=evidence,
        remedies=remedies,
        confidence=confidence,
        location=first,
        also_at=tuple(others),
        counterfactual=counterfactual,
    )


def by_class(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one class or function together: they have one cause."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.owner), []).append(event)
    yield from groups.values()


def by_file(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one file together: one edit mends them all."""
    groups: dict[tuple[str, int], list[Event]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.at.cell), []).append(event)
    yield from groups.values()


def by_function(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events of one function together."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in events:
        groups.setdefault((event.at.path, event.function), []).append(event)
    yield from groups.values()


def together(groups: Sequence[Sequence[Event]], verb: str) -> str:
    """``Cars.__init__ keeps``, or ``Cars.__init__ and 3 more keep``."""
    more = len(groups) - 1
    first = groups[0][0].function
    return f"{first} and {more} more {verb}" if more else f"{first} {verb}s"


_SHOWING = re.compile(r"demo|visuali[sz]e")
_SHOWN = re.compile(r"demo|predict|inference$", re.IGNORECASE)


def shown(loop: Loop) -> bool:
    """Does it only show what a model can do, as its file or function says?"""
    file = loop.at.path.rpartition("/")[2]
    said = _SHOWING.search(file) or _SHOWN.search(loop.function)
    return bool(said) and loop.role != "train" and not loop.repeats


def waiting_loops(loops: Sequence[Loop]) -> str:
    """``The loop in train waits``, ``The loops in train and validate wait``."""
    names = [*dict.fromkeys(loop.function for loop in loops)]
    single = all(loop.single for loop in loops)
    first, more = names[0], len(names) - 1
    if not more:
        return f"{first} waits" if single else f"The loop in {first} waits"
    others = names[1] if more == 1 else f"{more} more"
    start = "" if single else "The loops in "
    return f"{start}{first} and {others} wait"


def spots(events: Iterable[Event]) -> list[Spot]:
    """Where these happen."""
    return [event.at for event in events]


def told(argument: Argument) -> str:
    """``4 (default of --workers)``: a value, and how it is known."""
    if argument.how == "absent":
        return "not given"
    if not argument.known:
        return f"{argument.text} (not known)"
    how = argument.why or argument.how
    return str(argument.value) if how == "literal" else f"{argument.value} ({how})"


def sure(*arguments: Argument) -> Confidence:
    """Certain where it is written there; likely where it was followed."""
    plain = all(argument.how in {"literal", "absent"} for argument in arguments)
    return Confidence.CERTAIN if plain else Confidence.LIKELY


def called(loader: LoaderCall) -> str:
    """A loader by the name of its variable."""
    return loader.target.removeprefix("self.") or "A DataLoader"


def without_workers(loader: LoaderCall) -> bool:
    """Are there certainly no workers: 0 written, or nothing at all?"""
    workers = loader.get("num_workers")
    return workers.how == "absent" or (workers.known and workers.value == 0)


def with_workers(loader: LoaderCall) -> bool:
    """Are there workers, as far as the code tells?"""
    workers = loader.get("num_workers")
    known = isinstance(workers.value, int) and workers.value > 0
    return known or workers.form == "cpu count"


def only_copies(loader: LoaderCall) -> bool:
    """Do its workers make nothing, but hand over what lies in memory (PDR111)?"""
    light = loader.dataset is not None and loader.dataset.light
    collates = loader.get("collate_fn").how != "absent"
    return light and not collates and with_workers(loader)


def tells(source: Source) -> bool:
    """Is a data set told something between epochs, which kept workers never hear?"""
    epochs = any(event.details.get("dataset") for event in source.of("epoch-set"))
    return epochs or any(e.details.get("repeats") for e in source.of("dataset-told"))


def may_have_workers(loader: LoaderCall) -> bool:
    """Neither known to have none, nor a case for tests."""
    return not without_workers(loader)


def copies(source: Source, loader: LoaderCall) -> list[Event]:
    """The copies to a device in the loops that a loader feeds."""
    fed = [number for number in loader.fed if not shown(source.loops[number])]
    return [event for event in source.of("device-copy") if event.loop in fed]


def loop_of(source: Source, event: Event) -> Loop | None:
    """The loop over batches that an event stands in."""
    return source.loops[event.loop] if event.loop >= 0 else None


_SELDOM = (
    "%",
    "interval",
    "freq",
    "every",
    "verbose",
    "debug",
    "print",
    "log_",
    "_log",
    "log.",
    "display",
    "logging",
    "is_main",
    "show",
    "vis",
    "last_batch",
    "== len(",
    "synchronize",
    "profile",
    "== 0",
    "<= ",
)


_FIRST_RANK = re.compile(r"\b\w*rank\w*(\(\))? (==|<=) 0\b")


def seldom(event: Event) -> bool:
    """Is it done now and then only, or only on request? Rank 0 does it each time."""
    guards = [_FIRST_RANK.sub("", guard) for guard in event.guards]
    return any(word in guard for guard in guards for word in _SELDOM)


def least_torch(source: Source, torch: TorchBuild | None) -> tuple[str, str]:
    """The oldest torch that this has to work with, and who says so; empty: unknown."""
    known = [(source.torch.version, source.torch.told)] if source.torch else []
    if torch is not None:
        known.append((torch.version, "installed"))
    return min(known, key=lambda pair: numbers(pair[0]), default=("", ""))


def start_method(
    source: Source, path: str, interpreter: Interpreter | None, site: Site | None
) -> tuple[str, str]:
    """
    How workers of this file start here, and why: ``spawn``, ``forkserver``, ``fork``.

    What another folder sets is another program's.
    """
    for event in source.of("start-method"):
        said = str(event.details.get("method"))
        if said in {"spawn", "forkserver"} and _folder(event.at.path) == _folder(path):
            return said, f"set in {event.at.path}"
    if site is not None and site.system and site.system != "linux":
        return "spawn", f"the default on {site.system}"
    version = interpreter.version if interpreter else ""
    if version and reaches(version, FORKSERVER_FROM):
        return "forkserver", f"the default of Python {version}"
    return "fork", "the default here"


def unpicklable(
    source: Source, path: str, interpreter: Interpreter | None, site: Site | None
) -> tuple[Severity, str]:
    """What cannot be sent to a new process breaks now, or from Python 3.14 on."""
    method, why = start_method(source, path, interpreter, site)
    if method == "fork":
        return (
            Severity.NOTE,
            f"breaks from Python {FORKSERVER_FROM} on, under forkserver",
        )
    return Severity.BREAKS, f"workers start by {method}, {why}"


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
