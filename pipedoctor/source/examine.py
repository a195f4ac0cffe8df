"""One project from bytes to facts; nothing of it is kept but the facts."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from pipedoctor.facts import Source
from pipedoctor.facts.source import Skipped
from pipedoctor.source import files
from pipedoctor.source.assemble import apart, together
from pipedoctor.source.imported import imported_names
from pipedoctor.source.loaders import LoaderCall, calls_of, may_call
from pipedoctor.source.marks import marks
from pipedoctor.source.parse import NotPythonError, Text, parse, traces
from pipedoctor.source.scope import Module

Shown = Callable[[str], str]
"""How a path is called in reports."""


_KEPT: list[Module] = []
"""What is left to the end of the process."""


class Examined(NamedTuple):
    """What is known of a project, and whether that is all of it."""

    facts: Source
    whole: bool
    calls: tuple[tuple[int, LoaderCall], ...] = ()
    """Of DataLoader, with the number of the file in the project instead of its path."""


def examine(
    project: Sequence[files.Source],
    shown: Shown,
    *,
    until: float,
    seconds: float,
    last: bool = False,
) -> Examined:
    """
    Parse and follow what may have to do with loading, as far as time allows.

    `last`: the process ends with it. That gives all memory back at once; node by
    node it takes a tenth of the time.
    """
    texts: list[Text] = []
    modules: list[Module] = []
    skipped: list[Skipped] = []
    calls: dict[int, list[LoaderCall]] = {}
    count, whole = 0, True
    for file in related(project):
        count += 1
        if time.monotonic() > until:
            reason = f"not read, nor any file after it: no time after {seconds:g} s"
            skipped.append(Skipped(path=shown(file.path), reason=reason))
            whole = False
            break
        try:
            text = parse(file)
        except NotPythonError as error:
            skipped.append(Skipped(path=shown(file.path), reason=str(error)))
        else:
            text = replace(text, path=shown(file.path))
            texts.append(text)
            modules.append(apart(text))
            if may_call(file.text) and not text.cells:
                calls[id(file)] = list(calls_of("", text.tree))
    facts = together(modules, skipped, count, forget=not last)
    if last:
        _KEPT.extend(modules)
    numbered = tuple(
        (n, call) for n, file in enumerate(project) for call in calls.get(id(file), ())
    )
    return Examined(structs.replace(facts, marks=marks(facts, texts)), whole, numbered)


def related(project: Sequence[files.Source]) -> Iterator[files.Source]:
    """Files with a trace of torch, then those that they import."""
    later: list[tuple[str, files.Source]] = []
    named: set[str] = set()
    for file in project:
        if traces(file.text):
            named |= imported_names(file.text)
            yield file
        elif file.path.endswith(".py"):
            later.append((_stem(file.path), file))
    grown = True
    while grown:
        grown = False
        left: list[tuple[str, files.Source]] = []
        for stem, file in later:
            if stem in named:
                named |= imported_names(file.text)
                grown = True
                yield file
            else:
                left.append((stem, file))
        later = left


def _stem(path: str) -> str:
    name = Path(path)
    return name.parent.name if name.stem == "__init__" else name.stem
