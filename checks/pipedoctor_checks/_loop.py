"""Loops over batches in code: what they are for, and what happens in them."""

import re
from collections.abc import Sequence

from pipedoctor.facts import Source
from pipedoctor.facts.source import Event, LoaderCall, Loop

_SHOWING = re.compile(r"demo|visuali[sz]e")
_SHOWN = re.compile(r"demo|predict|inference$", re.IGNORECASE)
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


def shown(loop: Loop) -> bool:
    """Does it only show what a model can do, as its file or function says?"""
    file = loop.at.path.rpartition("/")[2]
    said = _SHOWING.search(file) or _SHOWN.search(loop.function)
    return bool(said) and loop.role != "train" and not loop.repeats


def one_pass(source: Source, loader: LoaderCall) -> bool:
    """Is it only evaluated, and that once?"""
    roles = {source.loops[number].role for number in loader.fed}
    return roles == {"eval"} and not loader.repeats


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


def copies(source: Source, loader: LoaderCall) -> list[Event]:
    """The copies to a device in the loops that a loader feeds."""
    fed = [number for number in loader.fed if not shown(source.loops[number])]
    return [event for event in source.of("device-copy") if event.loop in fed]


def loop_of(source: Source, event: Event) -> Loop | None:
    """The loop over batches that an event stands in."""
    return source.loops[event.loop] if event.loop >= 0 else None


def seldom(event: Event) -> bool:
    """Is it done now and then only, or only on request? Rank 0 does it each time."""
    guards = [_FIRST_RANK.sub("", guard) for guard in event.guards]
    return any(word in guard for guard in guards for word in _SELDOM)
