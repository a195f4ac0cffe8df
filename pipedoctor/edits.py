"""Edits of code that a remedy offers: all of them exact, or none."""

from collections.abc import Iterable, Mapping

from pipedoctor.facts.source import Call, Event, Import, LoaderCall, Span, Spot
from pipedoctor.remedy import Edit

Edits = tuple[Edit, ...]


def edit(at: Spot, span: Span, replacement: str) -> Edit:
    """Put a text in place of a range in the file and cell of `at`."""
    return Edit(
        path=at.path,
        cell=at.cell,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        replacement=replacement,
    )


def insert(at: Spot, call: Call, *words: str) -> Edits:
    """Give a call these further arguments, each as ``name=value``."""
    if not words:
        return ()
    text, room = "", call.room
    for word in words:
        lead = call.lead
        if len(word) + len(lead) + len(call.tail) > room:
            lead, room = call.wrap, call.room + 1_000
        text += f"{lead}{word}{call.tail}"
        room -= len(word) + len(lead) + len(call.tail)
    commas = (edit(at, call.comma, ","),) if call.comma else ()
    return (*commas, edit(at, call.end, text))


def arguments(loader: LoaderCall, **wanted: str) -> Edits:
    """
    Let a loader be called with these arguments, written as code; none: it cannot be.

    What comes in through a dictionary, a subclass or a function around it stays
    alone, and so does the rest.
    """
    call = loader.call
    if call is None or not call.direct:
        return ()
    changed: list[Edit] = []
    words: list[str] = []
    for name, value in wanted.items():
        given = call.given.get(name)
        if given is not None:
            changed.append(edit(loader.at, given.value, value))
        elif loader.get(name).how == "absent":
            words.append(f"{name}={value}")
        else:
            return ()
    return (*changed, *insert(loader.at, call, *words))


def without(loader: LoaderCall, name: str, otherwise: str) -> Edits:
    """Leave an argument out; where its place is needed, `otherwise` stands there."""
    given = loader.call.given.get(name) if loader.call else None
    if given is None:
        return ()
    if given.whole is None:
        return (edit(loader.at, given.value, otherwise),)
    return (edit(loader.at, given.whole, ""),)


def plain(loader: LoaderCall, name: str) -> str:
    """How an argument is written, if that is a name; else empty."""
    given = loader.call.given.get(name) if loader.call else None
    return given.plain if given else ""


def cut(event: Event) -> Edits:
    """Take a statement out, with its line."""
    return replaced(event, {"line": ""})


def replaced(event: Event, pieces: Mapping[str, str]) -> Edits:
    """Put texts in place of the pieces of these names; none if one is not known."""
    if not pieces.keys() <= event.spans.keys():
        return ()
    changed = (edit(event.at, event.spans[name], pieces[name]) for name in pieces)
    return (*imported(event.at, event.imports), *changed)


def rewritten(event: Event) -> Edits:
    """Put in place of every piece what its detail of the same name says."""
    pieces = {name: str(event.details.get(name, "")) for name in event.spans}
    return replaced(event, pieces) if pieces else ()


def managed(events: Iterable[Event]) -> Edits:
    """The same of several, and the lines of their blocks moved to the right."""
    known = list(events)
    changed = every(map(rewritten, known))
    return (*changed, *indented(known)) if changed else ()


def imported(at: Spot, lines: Iterable[Import]) -> Edits:
    """Put these lines among the imports."""
    return tuple(edit(at, line.at, line.text) for line in lines)


def needing(loader: LoaderCall, edits: Edits, *modules: str) -> Edits:
    """The same, and the imports of these modules; none if there is nothing to do."""
    known = loader.call.imports if loader.call else {}
    missing = (known[name] for name in modules if name in known)
    return (*imported(loader.at, missing), *edits) if edits else ()


def indented(events: Iterable[Event]) -> Edits:
    """
    Move the lines of blocks to the right, for each block once.

    Lines are named as ``3-9,12-14`` in an event's detail *lines*, *unit* is by what.
    """
    units: dict[tuple[Spot, int], str] = {}
    for event in events:
        whole = Spot(path=event.at.path, line=1, cell=event.at.cell)
        lines = str(event.details.get("lines", ""))
        for part in lines.split(",") if lines else ():
            first, _, last = part.partition("-")
            for line in range(int(first), int(last) + 1):
                known = units.get((whole, line), "")
                units[whole, line] = known + str(event.details["unit"])
    return tuple(
        edit(at, Span(line=n, column=1, end_line=n, end_column=1), units[at, n])
        for at, n in units
    )


def every(parts: Iterable[Edits]) -> Edits:
    """All of them, each edit once; none if there is nothing to do for one part."""
    known = list(parts)
    if not all(known):
        return ()
    return tuple(dict.fromkeys(edit for part in known for edit in part))
