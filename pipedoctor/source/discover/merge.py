"""Facts of several projects as one: every number that refers to another moves along."""

from collections.abc import Iterable

from msgspec.structs import replace

from pipedoctor.facts.code_events.details import LOADER_KEY, LOOP_KEY, Scalar
from pipedoctor.facts.source import AnyEvent, LoaderCall, Loop, Source


def merge_sources(parts: Iterable[Source]) -> Source:
    """Join them in their order; events come in the order of their places."""
    whole = Source()
    for part in parts:
        loaders, loops = len(whole.loaders), len(whole.loops)
        whole = Source(
            files=whole.files + part.files,
            parsed=whole.parsed + part.parsed,
            skipped=whole.skipped + part.skipped,
            loaders=whole.loaders + tuple(_shift_loader(x, loops) for x in part.loaders),
            loops=whole.loops + tuple(_shift_loop(x, loaders) for x in part.loops),
            datasets=whole.datasets + part.datasets,
            events=whole.events + tuple(_shift_event(x, loaders, loops) for x in part.events),
            traits=tuple(sorted({*whole.traits, *part.traits})),
            ignores=whole.ignores + part.ignores,
            marks=whole.marks + part.marks,
        )
    return replace(whole, events=tuple(sorted(whole.events, key=event_sort_key)))


def event_sort_key(event: AnyEvent) -> tuple[str, int, int, int, str]:
    """Where an event comes among all: by file, cell, line and column."""
    at = event.at
    return (at.path, at.cell, at.line, at.column, event.kind)


def _shift_loader(loader: LoaderCall, loops: int) -> LoaderCall:
    if not loops or not loader.fed:
        return loader
    return replace(loader, fed=tuple(number + loops for number in loader.fed))


def _shift_loop(loop: Loop, loaders: int) -> Loop:
    if not loaders or not loop.loaders:
        return loop
    return replace(loop, loaders=tuple(number + loaders for number in loop.loaders))


def _shift_event(event: AnyEvent, loaders: int, loops: int) -> AnyEvent:
    recorded = {
        name: _shift_index(value, loaders if name == LOADER_KEY else loops)
        if name in {LOADER_KEY, LOOP_KEY}
        else value
        for name, value in event.recorded.items()
    }
    return replace(event, loop=_shift_index(event.loop, loops), recorded=recorded)


def _shift_index(number: Scalar, offset: int) -> int:
    return number + offset if isinstance(number, int) and number >= 0 else -1
