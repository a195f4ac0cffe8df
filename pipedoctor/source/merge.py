"""Facts of several projects as one: every number that refers to another moves along."""

from collections.abc import Iterable

from msgspec.structs import replace

from pipedoctor.facts.source import Event, LoaderCall, Loop, Scalar, Source

_TO_LOADER, _TO_LOOP = "loader", "in_loop"
"""Details of events that are indices into `Source.loaders` and `Source.loops`."""


def merge(parts: Iterable[Source]) -> Source:
    """Join them in their order; events come in the order of their places."""
    whole = Source()
    for part in parts:
        loaders, loops = len(whole.loaders), len(whole.loops)
        whole = Source(
            files=whole.files + part.files,
            parsed=whole.parsed + part.parsed,
            skipped=whole.skipped + part.skipped,
            loaders=whole.loaders + tuple(_loader(x, loops) for x in part.loaders),
            loops=whole.loops + tuple(_loop(x, loaders) for x in part.loops),
            events=whole.events + tuple(_event(x, loaders, loops) for x in part.events),
            traits=tuple(sorted({*whole.traits, *part.traits})),
            ignores=whole.ignores + part.ignores,
            marks=whole.marks + part.marks,
        )
    return replace(whole, events=tuple(sorted(whole.events, key=order)))


def order(event: Event) -> tuple[str, int, int, int, str]:
    """Where an event comes among all: by file, cell, line and column."""
    at = event.at
    return (at.path, at.cell, at.line, at.column, event.kind)


def _loader(loader: LoaderCall, loops: int) -> LoaderCall:
    if not loops or not loader.fed:
        return loader
    return replace(loader, fed=tuple(number + loops for number in loader.fed))


def _loop(loop: Loop, loaders: int) -> Loop:
    if not loaders or not loop.loaders:
        return loop
    return replace(loop, loaders=tuple(number + loaders for number in loop.loaders))


def _event(event: Event, loaders: int, loops: int) -> Event:
    details = {
        name: _moved(value, loaders if name == _TO_LOADER else loops)
        if name in {_TO_LOADER, _TO_LOOP}
        else value
        for name, value in event.details.items()
    }
    return replace(event, loop=_moved(event.loop, loops), details=details)


def _moved(number: Scalar, by: int) -> int:
    return number + by if isinstance(number, int) and number >= 0 else -1
