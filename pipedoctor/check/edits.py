"""Edits of code that a remedy offers: all of them exact, or none."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pipedoctor.check.remedy import Edit
from pipedoctor.facts.call_text import Call, Import, Span
from pipedoctor.facts.source import AnyEvent, Event, LoaderCall, Spot

if TYPE_CHECKING:
    from pipedoctor.facts.code_events.item import FileOpening
    from pipedoctor.facts.code_events.program import WorkerStart

Edits = tuple[Edit, ...]


def make_edit(at: Spot, span: Span, replacement: str) -> Edit:
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


def insert_arguments(at: Spot, call: Call, *words: str) -> Edits:
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
    commas = (make_edit(at, call.comma, ","),) if call.comma else ()
    return (*commas, make_edit(at, call.end, text))


def edit_arguments(loader: LoaderCall, **arguments: str) -> Edits:
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
    for name, value in arguments.items():
        given = call.given.get(name)
        if given is not None:
            changed.append(make_edit(loader.at, given.value, value))
        elif loader.get(name).how == "absent":
            words.append(f"{name}={value}")
        else:
            return ()
    return (*changed, *insert_arguments(loader.at, call, *words))


def remove_argument(loader: LoaderCall, name: str, replacement: str) -> Edits:
    """Leave an argument out; where its place is needed, `otherwise` stands there."""
    given = loader.call.given.get(name) if loader.call else None
    if given is None:
        return ()
    if given.whole is None:
        return (make_edit(loader.at, given.value, replacement),)
    return (make_edit(loader.at, given.whole, ""),)


def get_plain_argument(loader: LoaderCall, name: str) -> str:
    """How an argument is written, if that is a name; else empty."""
    given = loader.call.given.get(name) if loader.call else None
    return given.plain if given else ""


def remove_statement(event: AnyEvent) -> Edits:
    """Take a statement out, with its line."""
    return replace_pieces(event, {"line": ""})


def replace_pieces(event: AnyEvent, pieces: Mapping[str, str]) -> Edits:
    """Put texts in place of the pieces of these names; none if one is not known."""
    if not pieces.keys() <= event.spans.keys():
        return ()
    changed = (make_edit(event.at, event.spans[name], pieces[name]) for name in pieces)
    return (*insert_imports(event.at, event.imports), *changed)


def rewrite_pieces(event: AnyEvent) -> Edits:
    """Put in place of every piece what its detail of the same name says."""
    pieces = event.replacements
    return replace_pieces(event, pieces) if pieces else ()


def rewrite_blocks(events: Iterable["Event[FileOpening] | Event[WorkerStart]"]) -> Edits:
    """Rewrite the pieces of several events and indent the lines of their blocks."""
    known = list(events)
    changed = combine_edits(map(rewrite_pieces, known))
    return (*changed, *indent_blocks(known)) if changed else ()


def insert_imports(at: Spot, lines: Iterable[Import]) -> Edits:
    """Put these lines among the imports."""
    return tuple(make_edit(at, line.at, line.text) for line in lines)


def add_imports(loader: LoaderCall, edits: Edits, *modules: str) -> Edits:
    """The same, and the imports of these modules; none if there is nothing to do."""
    known = loader.call.imports if loader.call else {}
    missing = (known[name] for name in modules if name in known)
    return (*insert_imports(loader.at, missing), *edits) if edits else ()


def indent_blocks(events: Iterable["Event[FileOpening] | Event[WorkerStart]"]) -> Edits:
    """
    Move the lines of blocks to the right, for each block once.

    Their details say which: *lines* as ``3-9,12-14``, and *unit* is by what.
    """
    units: dict[tuple[Spot, int], str] = {}
    for event in events:
        whole = Spot(path=event.at.path, line=1, cell=event.at.cell)
        details = event.details
        lines = details.lines or ""
        for part in lines.split(",") if lines else ():
            first, _, last = part.partition("-")
            for line in range(int(first), int(last) + 1):
                known = units.get((whole, line), "")
                units[whole, line] = known + (details.unit or "")
    return tuple(
        make_edit(at, Span(line=n, column=1, end_line=n, end_column=1), units[at, n])
        for at, n in units
    )


def combine_edits(parts: Iterable[Edits]) -> Edits:
    """All of them, each edit once; none if there is nothing to do for one part."""
    known = list(parts)
    if not all(known):
        return ()
    return tuple(dict.fromkeys(edit for part in known for edit in part))
