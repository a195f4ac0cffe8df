"""Let one DataLoader be made with other arguments: what ``tune --apply`` does."""

import contextlib
import os
from collections.abc import Mapping

from pipedoctor.check import Edit
from pipedoctor.check.edits import edit_arguments
from pipedoctor.facts import Facts
from pipedoctor.facts.source import LoaderCall, Source
from pipedoctor.fix.code.apply import execute_code_plan, hold_files, plan_file_writes
from pipedoctor.fix.code.judged_source import CodeWorkspace
from pipedoctor.fix.code.notebook import InexactEditError
from pipedoctor.fix.code.proposal import find_file_obstacle
from pipedoctor.fix.code.script import edit_content
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine.plan_text import render_plans
from pipedoctor.fix.files.held_file import HeldFiles
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError
from pipedoctor.fix.request.named_checks import Examination
from pipedoctor.fix.request.request import FixRequest
from pipedoctor.source.syntax.parse import NotPythonError

ArgumentValue = bool | int | float | str | None
"""What an argument may be set to; a string is text, not code."""


def set_arguments(
    console: Console,
    examination: Examination,
    path: str,
    line: int,
    values: Mapping[str, ArgumentValue],
) -> int:
    """
    Show, ask, write and prove; gives the exit code of ``fix``.

    `path` is the file and `line` any line of the DataLoader call in it. Raises
    Refused where the call cannot be edited exactly, or would be none any more.
    """
    request = FixRequest(examination=examination)
    if not console.dry_run:
        console.recover_interrupted(request)
    ground = CodeWorkspace.read((path,), examination, Facts())
    plan = _plan_edit(ground, path, line, values)
    if plan is None:
        console.print_lines("nothing to do: the loader has these arguments already")
        return 0
    with contextlib.closing(HeldFiles()) as files:
        hold_files(ground, plan, files)
        console.print_lines(*render_plans([plan]))
        if console.dry_run:
            console.print_lines("dry run: nothing was changed")
            return 0
        console.require_consent("Apply this?")

        def proof() -> str:
            return verify_arguments(examination, path, line, values)

        return execute_code_plan(console, request, plan, proof, files)


def plan_arguments(
    examination: Examination, path: str, line: int, values: Mapping[str, ArgumentValue]
) -> FixPlan | None:
    """The plan, for who shows and asks in a way of its own; None: nothing to do."""
    return _plan_edit(CodeWorkspace.read((path,), examination, Facts()), path, line, values)


def _plan_edit(
    ground: CodeWorkspace, path: str, line: int, values: Mapping[str, ArgumentValue]
) -> FixPlan | None:
    loader = find_loader(ground.build_source({}), line)
    if _has_arguments(loader, values):
        return None
    edits = build_edits(loader, values)
    name = loader.at.path
    if why := find_file_obstacle(ground, name):
        raise FixRefusedError(why)
    try:
        new = edit_content(ground.contents[name], name, edits)
        after = find_loader(ground.build_source({name: new}), loader.at.line)
    except (InexactEditError, NotPythonError) as error:
        raise FixRefusedError(str(error)) from None
    if not _has_arguments(after, values):
        message = f"{path}:{line} would not have these arguments after the edit"
        raise FixRefusedError(message)
    real = os.path.realpath(path)
    what = ", ".join(f"{key}={value!r}" for key, value in values.items())
    plan = plan_file_writes({real: ground.contents[name]}, {real: new}, "other arguments")
    return _describe_plan(plan, what)


def _describe_plan(plan: FixPlan, what: str) -> FixPlan:
    import msgspec  # noqa: PLC0415  (for this alone)

    return msgspec.structs.replace(plan, before="as it was", after=f"with {what}")


def build_edits(loader: LoaderCall, values: Mapping[str, ArgumentValue]) -> tuple[Edit, ...]:
    """The edits that set these arguments; raises Refused where there are none."""
    wanted = {
        name: repr(value) for name, value in values.items() if not _has_literal(loader, name, value)
    }
    edits = edit_arguments(loader, **wanted)
    if not edits:
        message = (
            f"{loader.at.path}:{loader.at.line}: its arguments are set elsewhere"
            " (a dictionary, a subclass or a function); set them there:"
        )
        raise FixRefusedError(message, *(f"{name}={value}" for name, value in wanted.items()))
    return edits


def find_loader(source: Source, line: int) -> LoaderCall:
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
        raise FixRefusedError(message)
    return found[0]


def verify_arguments(
    examination: Examination, path: str, line: int, values: Mapping[str, ArgumentValue]
) -> str:
    """Why the file does not have these arguments; empty: it has."""
    try:
        ground = CodeWorkspace.read((path,), examination, Facts())
        loader = find_loader(ground.build_source({}), line)
    except (FixRefusedError, NotPythonError) as why:
        return str(why)
    return "" if _has_arguments(loader, values) else f"{path}:{line} has other arguments"


def _has_arguments(loader: LoaderCall, values: Mapping[str, ArgumentValue]) -> bool:
    return all(_has_literal(loader, name, value) for name, value in values.items())


def _has_literal(loader: LoaderCall, name: str, value: ArgumentValue) -> bool:
    """Is it written there as a literal, of this value and type?"""
    known = loader.get(name)
    same = known.value == value and type(known.value) is type(value)
    return known.how == "literal" and same
