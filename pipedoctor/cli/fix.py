"""`pipedoctor fix`: apply remedies with a plan, consent, proof and undo."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.types import AT_LEAST_ONE, COUNT, PATH, SECONDS, SIZE, SOME, STEP

if TYPE_CHECKING:
    from pipedoctor.fix.counter import Counter

NEWEST = "newest"
_UNWRITTEN = 2


@click.command("fix")
@click.argument("names", nargs=-1)
@click.option("--shm", metavar="SIZE", help="Give /dev/shm this size: 5G, 512m, 50%.")
@click.option("--nofile", type=AT_LEAST_ONE, help="Allow this many open files.")
@click.option("--code", is_flag=True, help="Edit code: NAMES are files and folders.")
@click.option("--select", multiple=True, metavar="NAMES", help="Of code, only these.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="Of code, not these.")
@click.option(
    "--stdin-filename",
    type=PATH,
    metavar="FILE",
    help="The name of the code that `-` reads.",
)
@click.option(
    "--diff",
    metavar="REV",
    help="Of code, only lines that changed since this revision, as in `check`.",
)
@click.option("--unsafe", is_flag=True, help="Edits that may change results as well.")
@click.option(
    "--measure",
    type=PATH,
    metavar="TARGET",
    help="Run this loader before and after the change: file.py:callable.",
)
@click.option(
    "--prove", is_flag=True, help="Take back what --measure shows no gain of."
)
@click.option(
    "--budget", type=SECONDS, default=30, help="Seconds for --measure.  [default: 30]"
)
@click.option("--step-seconds", type=STEP, help="As in `check --measure`.")
@click.option("--persist", is_flag=True, help="Let it survive a reboot as well.")
@click.option("--dry-run", is_flag=True, help="Show the plan, change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option(
    "--force",
    is_flag=True,
    help="Go beyond memory; with --undo, over what others changed since.",
)
@click.option(
    "--undo",
    metavar="[ID]",
    is_flag=False,
    flag_value=NEWEST,
    help="Take back this fix, or the newest that stands.",
)
@click.option("--history", is_flag=True, help="List the journal of all fixes.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text")
@click.option("--pid", type=AT_LEAST_ONE, help="The running process that is meant.")
@click.option("--data", multiple=True, type=PATH, help="As in `check`.")
@click.option("--workers", type=COUNT, help="num_workers, to judge NAMES by.")
@click.option("--prefetch", type=SOME, help="Its prefetch_factor.")
@click.option("--batch-bytes", type=SIZE, help="Bytes of one batch: 64M.")
@click.option("--ranks", type=SOME, help="Training processes on this node.")
def command(names: tuple[str, ...], **typed: Any) -> None:
    """
    Cure NAMES (checks, by name or code), set a limit by number, or edit --code.

    Always shows the plan first, asks, keeps a journal, proves that it worked and
    rolls back what did not. Exit code 0: done and proved, or nothing to do;
    1: refused, failed or rolled back; 2: wrong usage.
    """
    if os.name != "posix":
        click.echo("refused: only Linux has what `fix` changes", err=True)
        sys.exit(1)

    from pipedoctor.fix.counter import Counter
    from pipedoctor.fix.plan import Failed, NoSuchFix, Refused

    _refuse_clock(typed)
    _refuse_mixture(typed)
    _refuse_several(names, typed)
    counter = Counter(
        click.echo, _ask, yes=typed.pop("yes"), dry_run=typed.pop("dry_run")
    )
    try:
        ended = _served(counter, names, typed)
    except Refused as why:
        ended = counter.refuse(why)
    except (Failed, OSError) as why:
        ended = counter.refuse(Refused(f"nothing was changed: {why}"))
    except NoSuchFix as why:
        raise click.UsageError(str(why)) from None
    sys.exit(_heard(counter, ended))


def _heard(counter: "Counter", ended: int) -> int:
    """The exit code: what could not be written is said where it still can be."""
    if not counter.unheard:
        return ended
    from pipedoctor.cli.output import unwritten

    click.echo(f"pipedoctor fix: {unwritten(counter.unheard[0])}", err=True)
    return ended or _UNWRITTEN


def _served(counter: "Counter", names: tuple[str, ...], typed: dict[str, Any]) -> int:
    """Do the one thing that was said."""
    from pipedoctor.cli.curing import ordered, plain_order
    from pipedoctor.cli.editing import edit
    from pipedoctor.cli.proving import timed
    from pipedoctor.fix.past import history
    from pipedoctor.fix.withdraw import withdraw

    if typed["history"]:
        return history(counter, typed["form"])
    if typed["undo"] is not None:
        wanted = None if typed["undo"] == NEWEST else typed["undo"]
        return withdraw(counter, plain_order(), wanted, force=typed["force"])
    if typed["code"]:
        return edit(counter, names or (".",), typed)
    return timed(counter, ordered(names, typed), typed)


def _refuse_several(names: tuple[str, ...], typed: dict[str, Any]) -> None:
    undoing, telling = typed["undo"] is not None, typed["history"]
    editing = typed["code"] and not undoing and not telling
    limits = typed["shm"] is not None or bool(typed["nofile"])
    if bool(editing or names or limits) + undoing + telling != 1:
        message = (
            "say one thing: --shm, --nofile, NAMES or --code; or --undo; or --history"
        )
        raise click.UsageError(message)
    if typed["form"] == "json" and not telling:
        message = "--format json goes with --history"
        raise click.UsageError(message)


def _refuse_mixture(typed: dict[str, Any]) -> None:
    limits = typed["shm"] is not None or bool(typed["nofile"])
    names = ("select", "ignore", "unsafe", "stdin_filename", "diff")
    if any(typed[name] for name in names) and not typed["code"]:
        message = (
            "--select, --ignore, --diff, --unsafe and --stdin-filename go with --code"
        )
        raise click.UsageError(message)
    if typed["code"] and limits:
        message = "--code edits files; limits are set by another call"
        raise click.UsageError(message)


def _refuse_clock(typed: dict[str, Any]) -> None:
    if typed["prove"] and not typed["measure"]:
        message = "--prove needs --measure TARGET: what shall be measured?"
        raise click.UsageError(message)
    if typed["measure"] and (
        typed["dry_run"] or typed["undo"] is not None or typed["history"]
    ):
        message = (
            "--measure measures what is changed: not with --dry-run, --undo or"
            " --history"
        )
        raise click.UsageError(message)


def _ask(question: str) -> bool:
    """Ask on the terminal; no answer is no."""
    try:
        return click.confirm(question, default=False)
    except click.Abort:
        click.echo()
        return False
