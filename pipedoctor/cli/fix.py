"""`pipedoctor fix`: apply remedies with a plan, consent, proof and undo."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.request.option_types import (
    AT_LEAST_ONE,
    COUNT,
    PATH,
    POSITIVE_COUNT,
    SECONDS,
    SIZE,
    STEP_SECONDS,
)
from pipedoctor.cli.request.options import ENV_OPTION, environment_option, format_option
from pipedoctor.tune import DEFAULT_BUDGET

if TYPE_CHECKING:
    from pipedoctor.cli.request.requests import FixCommandRequest
    from pipedoctor.collect.named_folders import PathRequest
    from pipedoctor.fix.console.console import Console

NEWEST = "newest"
_BUDGET_HELP = f"Seconds for --measure.  [default: {DEFAULT_BUDGET}]"
_UNWRITTEN_CODE = 2


@click.command("fix")
@click.argument("names", nargs=-1, metavar="[NAMES|PATHS]...")
@click.option("--shm", metavar="SIZE", help="New size of /dev/shm: 5G, 512m, 50%.")
@click.option("--nofile", type=AT_LEAST_ONE, help="New limit of open files.")
@click.option("--code", is_flag=True, help="Edit code, in this folder if PATHS name none.")
@click.option("--select", multiple=True, metavar="NAMES", help="In code, apply only these checks.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="In code, skip these checks.")
@click.option(
    "--stdin-filename",
    type=PATH,
    metavar="FILE",
    help="File name of the code read from stdin (`-`).",
)
@click.option(
    "--diff",
    metavar="REV",
    help="In code, fix only lines changed since this revision, as in `check`.",
)
@click.option("--unsafe", is_flag=True, help="Also make edits that may change results.")
@click.option(
    "--measure",
    type=PATH,
    metavar="TARGET",
    help="Run this loader before and after the change: file.py:callable.",
)
@click.option("--prove", is_flag=True, help="Roll back changes for which --measure shows no gain.")
@click.option("--budget", type=SECONDS, default=DEFAULT_BUDGET, help=_BUDGET_HELP)
@click.option(
    "--step-seconds",
    type=STEP_SECONDS,
    help="With --measure: seconds the consumer takes per batch.",
)
@click.option("--persist", is_flag=True, help="Make the change survive a reboot.")
@click.option("--dry-run", is_flag=True, help="Show the plan; change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option(
    "--force",
    is_flag=True,
    help="Allow more than the memory; with --undo, overwrite later changes.",
)
@click.option(
    "--undo",
    metavar="[ID]",
    is_flag=False,
    flag_value=NEWEST,
    help="Undo this fix, or the newest one in force.",
)
@click.option("--history", is_flag=True, help="List the journal of all fixes.")
@format_option(("text", "json"))
@click.option("--pid", type=AT_LEAST_ONE, help="PID of the process to fix.")
@click.option("--data", multiple=True, type=PATH, help="Path to the dataset.")
@environment_option("examine")
@ENV_OPTION
@click.option("--workers", type=COUNT, help="num_workers of the job, for judging NAMES.")
@click.option("--prefetch", type=POSITIVE_COUNT, help="prefetch_factor of the job.")
@click.option("--batch-bytes", type=SIZE, help="Size of one batch, such as 64M.")
@click.option("--ranks", type=POSITIVE_COUNT, help="Training processes on this node.")
def command(**parameters: Any) -> None:
    """
    Fix NAMES (checks, by name or code) and the code in PATHS, or set a limit.

    PATHS alone: every finding in them that can be fixed. Always shows
    the plan first, asks, keeps a journal, verifies the result and rolls back what
    did not work. Exit code 0: done and proved, or nothing to do; 1: refused, failed
    or rolled back; 2: wrong usage.
    """
    if os.name != "posix":
        click.echo("refused: `fix` works on Linux only", err=True)
        sys.exit(1)

    from pipedoctor.cli.request.requests import FixCommandRequest

    request = FixCommandRequest(**parameters)
    _refuse_measure_options(request)
    _refuse_several_actions(request)
    sys.exit(run_fix(request))


def run_fix(request: "FixCommandRequest") -> int:
    """Do what is asked for; the exit code. Raises UsageError."""
    from pipedoctor.fix.console.console import Console
    from pipedoctor.fix.plan.plan import FixRefusedError, NoSuchFixError, StepFailedError

    console = Console(click.echo, _confirm, yes=request.yes, dry_run=request.dry_run)
    try:
        ended = _dispatch_action(console, request)
    except FixRefusedError as why:
        ended = console.report_refusal(why)
    except (StepFailedError, OSError) as why:
        ended = console.report_refusal(FixRefusedError(f"nothing was changed: {why}"))
    except NoSuchFixError as why:
        raise click.UsageError(str(why)) from None
    return _report_write_errors(console, ended)


def _report_write_errors(console: "Console", code: int) -> int:
    """The exit code, after reporting on stderr what could not be written to stdout."""
    if not console.write_errors:
        return code
    from pipedoctor.cli.terminal.output import abandon_stdout

    click.echo(f"pipedoctor fix: {abandon_stdout(console.write_errors[0])}", err=True)
    return code or _UNWRITTEN_CODE


def _dispatch_action(console: "Console", request: "FixCommandRequest") -> int:
    """Run what the options ask for: the machine first, then the code."""
    from pipedoctor.cli.actions.fix_code import run_code_fix
    from pipedoctor.cli.actions.measure_fix import apply_measured
    from pipedoctor.cli.request.fix_request import build_empty_request, build_fix_request
    from pipedoctor.cli.request.fix_targets import find_targets
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.fix.history.history import print_history
    from pipedoctor.fix.history.undo_request import undo_fix
    from pipedoctor.fix.request import dead_paths

    dead_paths.refuse_dead_paths(_list_touched_paths(request))
    if request.history:
        return print_history(console, request.form)
    if request.undo is not None:
        wanted = None if request.undo == NEWEST else request.undo
        return undo_fix(console, build_empty_request(), wanted, force=request.force)
    targets = find_targets(get_catalogue(), request)
    limits = request.shm is not None or bool(request.nofile)
    _refuse_mixed_options(request, edits_code=targets.edits_code)
    code = 0
    if targets.checks or limits:
        code = apply_measured(console, build_fix_request(request, targets), request)
    if targets.edits_code:
        code = max(code, run_code_fix(console, request, targets))
    return code


def _list_touched_paths(request: "FixCommandRequest") -> "list[PathRequest]":
    """What this action touches outside of a lane, beside the journal."""
    from pipedoctor.collect.machine import Machine
    from pipedoctor.collect.named_folders import PathRequest, list_named_folders

    if request.history:
        return []
    touched: list[PathRequest] = []
    names = [name for name in request.names or (["."] if request.code else ()) if name != "-"]
    touched += [PathRequest(role="code", path=name, named_by="PATHS") for name in names]
    runs = not (request.dry_run or request.code)
    for folder in list_named_folders(Machine()):
        limits = folder.role == "shm" and (request.shm is not None or request.undo is not None)
        if request.measure or limits or (runs and folder.role == "program-path"):
            touched.append(folder)
    return touched


def _refuse_several_actions(request: "FixCommandRequest") -> None:
    undoing, telling = request.undo is not None, request.history
    editing = request.code and not undoing and not telling
    limits = request.shm is not None or bool(request.nofile)
    if bool(editing or request.names or limits) + undoing + telling != 1:
        message = (
            "give exactly one action: --shm, --nofile, NAMES or --code; or --undo; or --history"
        )
        raise click.UsageError(message)
    if request.form == "json" and not telling:
        message = "--format json requires --history"
        raise click.UsageError(message)


def _refuse_mixed_options(request: "FixCommandRequest", *, edits_code: bool) -> None:
    limits = request.shm is not None or bool(request.nofile)
    of_code = (
        *(request.select, request.ignore, request.unsafe),
        *(request.stdin_filename, request.diff),
    )
    if any(of_code) and not edits_code:
        message = "--select, --ignore, --diff, --unsafe and --stdin-filename require --code"
        raise click.UsageError(message)
    if request.code and limits:
        message = "--code cannot be combined with --shm or --nofile"
        raise click.UsageError(message)


def _refuse_measure_options(request: "FixCommandRequest") -> None:
    if request.prove and not request.measure:
        message = "--prove requires --measure TARGET"
        raise click.UsageError(message)
    if request.measure and (request.dry_run or request.undo is not None or request.history):
        message = "--measure cannot be combined with --dry-run, --undo or --history"
        raise click.UsageError(message)


def _confirm(question: str) -> bool:
    """Ask on the terminal; no answer is no."""
    try:
        return click.confirm(question, default=False)
    except click.Abort:
        click.echo()
        return False
