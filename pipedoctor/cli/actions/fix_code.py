"""`pipedoctor fix --code`: edits of files, or of what comes through stdin."""

import contextlib
import dataclasses
from typing import TYPE_CHECKING

import click
import msgspec

from pipedoctor.cli.request import stdin
from pipedoctor.cli.request.fix_request import build_empty_request, build_examination
from pipedoctor.cli.request.requests import CodeRequest

if TYPE_CHECKING:
    from pipedoctor.cli.request.fix_targets import FixTargets
    from pipedoctor.cli.request.requests import FixCommandRequest
    from pipedoctor.fix.code.apply import CodeFixRequest
    from pipedoctor.fix.code.judged_source import CodeWorkspace
    from pipedoctor.fix.console.console import Console
    from pipedoctor.fix.request.named_checks import Examination


def run_code_fix(console: "Console", request: "FixCommandRequest", targets: "FixTargets") -> int:
    """Edit the code in PATHS; gives the exit code. Raises UsageError."""
    from pipedoctor.cli.actions.measure_fix import prepare_edit_measurement
    from pipedoctor.cli.request.suppression_options import read_changed_lines
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.facts import UnreadableError
    from pipedoctor.fix.code.apply import apply_edits, edit_stdin
    from pipedoctor.fix.code.judged_source import CodeWorkspace
    from pipedoctor.fix.request.dead_paths import refuse_dead_code
    from pipedoctor.source.syntax.parse import NotPythonError

    paths = targets.paths or (".",)
    names = tuple(check.name for check in targets.code_checks)
    request = msgspec.structs.replace(request, select=(*request.select, *names))
    code = _read_code(request, paths)
    examination = build_examination(get_catalogue(), request)
    if code.stdin_source is None and not console.dry_run:
        console.recover_interrupted(build_empty_request())  # before anything is read
    lines = read_changed_lines(code, gitignore=examination.inquiry.reading.gitignore)
    with contextlib.ExitStack() as stack:
        clock, measured = prepare_edit_measurement(stack, request, paths)
        try:
            facts = examination.collect_facts().merge(*measured)
            refuse_dead_code(facts)
            if code.stdin_source is not None:
                workspace = CodeWorkspace.from_text(code.stdin_source, examination, facts)
                workspace.changed_lines = lines
                return edit_stdin(console, _build_code_request(workspace, examination, request))
            workspace = CodeWorkspace.read(paths, examination, facts)
            workspace.changed_lines = lines
        except (UnreadableError, NotPythonError) as error:
            raise click.UsageError(str(error)) from None
        work = _build_code_request(workspace, examination, request)
        if clock is not None:
            work = dataclasses.replace(work, measure_gain=clock.explain_rejection)
        return apply_edits(console, build_empty_request(), work)


def _read_code(request: "FixCommandRequest", paths: tuple[str, ...]) -> CodeRequest:
    code = stdin.read_stdin_code(
        CodeRequest(paths=paths, stdin_filename=request.stdin_filename, diff=request.diff)
    )
    if code.stdin_source is not None and (code.paths or request.measure):
        message = "`-` cannot be combined with files: code from stdin goes to stdout"
        raise click.UsageError(message)
    return code


def _build_code_request(
    workspace: "CodeWorkspace", examination: "Examination", request: "FixCommandRequest"
) -> "CodeFixRequest":
    from pipedoctor.fix.code.apply import CodeFixRequest

    return CodeFixRequest(
        workspace=workspace,
        check_filter=examination.policy.check_filter,
        unsafe=request.unsafe,
        explicit=bool(request.select),
    )
