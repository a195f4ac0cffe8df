"""Let one DataLoader be made with other arguments: what ``tune --apply`` does."""

import os
from collections.abc import Mapping

from pipedoctor.edits import arguments
from pipedoctor.facts import Facts
from pipedoctor.facts.source import LoaderCall, Source
from pipedoctor.fix.code.apply import plan_of, write
from pipedoctor.fix.code.ground import Ground
from pipedoctor.fix.code.notebook import NotKept
from pipedoctor.fix.code.proposal import obstacle
from pipedoctor.fix.code.script import edited
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.named import Examination
from pipedoctor.fix.plan import Plan, Refused
from pipedoctor.fix.show import plans
from pipedoctor.remedy import Edit
from pipedoctor.source.parse import NotPythonError

Value = bool | int | float | str | None
"""What an argument may be set to; a string is text, not code."""


def set_arguments(
    counter: Counter,
    examination: Examination,
    path: str,
    line: int,
    values: Mapping[str, Value],
) -> int:
    """
    Show, ask, write and prove; gives the exit code of ``fix``.

    `path` is the file and `line` any line of the DataLoader call in it. Raises
    Refused where the call cannot be edited exactly, or would be none any more.
    """
    plan = planned(examination, path, line, values)
    if plan is None:
        counter.say("nothing to do: the loader has these arguments already")
        return 0
    counter.say(*plans([plan]))
    if counter.dry_run:
        counter.say("dry run: nothing was changed")
        return 0
    counter.consent("Apply this?")
    return write(counter, plan, lambda: unset(examination, path, line, values))


def planned(
    examination: Examination, path: str, line: int, values: Mapping[str, Value]
) -> Plan | None:
    """The plan, for who shows and asks in a way of its own; None: nothing to do."""
    ground = Ground.read((path,), examination, Facts())
    loader = at_line(ground.source({}), line)
    if _has(loader, values):
        return None
    edits = edits_for(loader, values)
    name = loader.at.path
    if why := obstacle(ground, name):
        raise Refused(why)
    try:
        new = edited(ground.raws[name], name, edits)
        after = at_line(ground.source({name: new}), loader.at.line)
    except (NotKept, NotPythonError) as error:
        raise Refused(str(error)) from None
    if not _has(after, values):
        message = f"{path}:{line} would not have these arguments after the edit"
        raise Refused(message)
    real = os.path.realpath(path)
    what = ", ".join(f"{key}={value!r}" for key, value in values.items())
    plan = plan_of({real: ground.raws[name]}, {real: new}, "other arguments")
    return _named(plan, what)


def _named(plan: Plan, what: str) -> Plan:
    import msgspec  # noqa: PLC0415  (for this alone)

    return msgspec.structs.replace(plan, before="as it was", after=f"with {what}")


def edits_for(loader: LoaderCall, values: Mapping[str, Value]) -> tuple[Edit, ...]:
    """The edits that set these arguments; raises Refused where there are none."""
    wanted = {
        name: repr(value)
        for name, value in values.items()
        if not _is(loader, name, value)
    }
    edits = arguments(loader, **wanted)
    if not edits:
        message = (
            f"{loader.at.path}:{loader.at.line}: its arguments come from elsewhere"
            " (a dictionary, a subclass or a function), so set them there:"
        )
        raise Refused(message, *(f"{name}={value}" for name, value in wanted.items()))
    return edits


def at_line(source: Source, line: int) -> LoaderCall:
    """The loader that is made at this line; raises Refused."""
    found = [
        loader
        for loader in source.loaders
        if loader.at.line <= line <= (loader.at.end_line or loader.at.line)
    ]
    if len({(loader.at.line, loader.at.column) for loader in found}) != 1:
        places = ", ".join(str(loader.at.line) for loader in source.loaders)
        count = "several DataLoaders are" if found else "no DataLoader is"
        message = f"{count} made at line {line}; they are at: {places or 'none'}"
        raise Refused(message)
    return found[0]


def unset(
    examination: Examination, path: str, line: int, values: Mapping[str, Value]
) -> str:
    """Why the file does not have these arguments; empty: it has."""
    try:
        ground = Ground.read((path,), examination, Facts())
        loader = at_line(ground.source({}), line)
    except (Refused, NotPythonError) as why:
        return str(why)
    return "" if _has(loader, values) else f"{path}:{line} has other arguments"


def _has(loader: LoaderCall, values: Mapping[str, Value]) -> bool:
    return all(_is(loader, name, value) for name, value in values.items())


def _is(loader: LoaderCall, name: str, value: Value) -> bool:
    """Is it written there as a literal, of this value and type?"""
    known = loader.get(name)
    same = known.value == value and type(known.value) is type(value)
    return known.how == "literal" and same
