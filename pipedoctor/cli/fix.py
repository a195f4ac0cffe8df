"""`pipedoctor fix`: apply remedies with a plan, consent, proof and undo."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.types import AT_LEAST_ONE, COUNT, PATH, SECONDS, SIZE, SOME

if TYPE_CHECKING:
    from pipedoctor.catalogue import Catalogue
    from pipedoctor.check import Check
    from pipedoctor.fix.counter import Counter
    from pipedoctor.fix.named import Examination
    from pipedoctor.fix.order import Order
    from pipedoctor.fix.sizes import Asked

NEWEST = "newest"
FLOAT = click.FloatRange(min=0, max=3600)


@click.command("fix")
@click.argument("names", nargs=-1)
@click.option("--shm", metavar="SIZE", help="Give /dev/shm this size: 5G, 512m, 50%.")
@click.option("--nofile", type=AT_LEAST_ONE, help="Allow this many open files.")
@click.option("--code", is_flag=True, help="Edit code: NAMES are files and folders.")
@click.option("--select", multiple=True, metavar="NAMES", help="Of code, only these.")
@click.option("--ignore", multiple=True, metavar="NAMES", help="Of code, not these.")
@click.option("--unsafe", is_flag=True, help="Edits that may change results as well.")
@click.option(
    "--measure",
    metavar="TARGET",
    help="Run this loader before and after the change: file.py:callable.",
)
@click.option(
    "--prove", is_flag=True, help="Take back what --measure shows no gain of."
)
@click.option(
    "--budget", type=SECONDS, default=30, help="Seconds for --measure.  [default: 30]"
)
@click.option("--step-seconds", type=FLOAT, help="As in `check --measure`.")
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
def command(
    names: tuple[str, ...],
    shm: str | None,
    nofile: int | None,
    persist: bool,
    dry_run: bool,
    yes: bool,
    force: bool,
    undo: str | None,
    history: bool,
    form: str,
    code: bool,
    **job: Any,
) -> None:
    """
    Cure NAMES (checks, by name or code), set a limit by number, or edit --code.

    Always shows the plan first, asks, keeps a journal, proves that it worked and
    rolls back what did not. Exit code 0: done and proved, or nothing to do;
    1: refused, failed or rolled back; 2: wrong usage.
    """
    if os.name != "posix":
        click.echo("refused: only Linux has what `fix` changes", err=True)
        sys.exit(1)

    from pipedoctor.cli.proving import timed
    from pipedoctor.fix.counter import Counter
    from pipedoctor.fix.past import history as past
    from pipedoctor.fix.plan import Failed, NoSuchFix, Refused
    from pipedoctor.fix.withdraw import withdraw

    wishes = {name: job.pop(name) for name in ("select", "ignore", "unsafe")}
    clock = {n: job.pop(n) for n in ("measure", "prove", "budget", "step_seconds")}
    _refuse_clock(clock, idle=dry_run or undo is not None or history)
    editing = code and undo is None and not history
    given = bool(editing or names or shm is not None or nofile)
    _refuse_mixture(wishes, code=code, limits=shm is not None or bool(nofile))
    if given + (undo is not None) + history != 1:
        message = (
            "say one thing: --shm, --nofile, NAMES or --code; or --undo; or --history"
        )
        raise click.UsageError(message)
    if form == "json" and not history:
        message = "--format json goes with --history"
        raise click.UsageError(message)
    counter = Counter(click.echo, _ask, yes=yes, dry_run=dry_run)
    try:
        if history:
            ended = past(counter, form)
        elif undo is not None:
            wanted = None if undo == NEWEST else undo
            ended = withdraw(counter, _plain_order(), wanted, force=force)
        elif code:
            ended = _edit(counter, names or (".",), wishes | clock, job)
        else:
            order = _order(names, shm, job, nofile, persist, force)
            ended = timed(counter, order, clock)
    except Refused as why:
        ended = counter.refuse(why)
    except (Failed, OSError) as why:
        ended = counter.refuse(Refused(f"nothing was changed: {why}"))
    except NoSuchFix as why:
        raise click.UsageError(str(why)) from None
    sys.exit(ended)


def _refuse_mixture(wishes: dict[str, Any], *, code: bool, limits: bool) -> None:
    if any(wishes.values()) and not code:
        message = "--select, --ignore and --unsafe go with --code"
        raise click.UsageError(message)
    if code and limits:
        message = "--code edits files; limits are set by another call"
        raise click.UsageError(message)


def _refuse_clock(clock: dict[str, Any], *, idle: bool) -> None:
    if clock["prove"] and not clock["measure"]:
        message = "--prove needs --measure TARGET: what shall be measured?"
        raise click.UsageError(message)
    if clock["measure"] and idle:
        message = (
            "--measure measures what is changed: not with --dry-run, --undo or"
            " --history"
        )
        raise click.UsageError(message)


def _edit(
    counter: "Counter",
    paths: tuple[str, ...],
    wishes: dict[str, Any],
    job: dict[str, Any],
) -> int:
    import contextlib

    from pipedoctor.catalogue import installed
    from pipedoctor.cli.proving import clocked
    from pipedoctor.facts import Unreadable
    from pipedoctor.fix.code.apply import Work, apply
    from pipedoctor.fix.code.ground import Ground

    catalogue = installed()
    job.pop("pid")
    chosen = {key: wishes[key] for key in ("select", "ignore") if wishes[key]}
    examination = _examination(catalogue, job | chosen, None)
    with contextlib.ExitStack() as stack:
        clock, seen = clocked(stack, wishes, paths)
        try:
            facts = examination.facts().plus(*seen)
            ground = Ground.read(paths, examination, facts)
        except Unreadable as error:
            raise click.UsageError(str(error)) from None
        work = Work(
            ground=ground,
            chosen=examination.standards.chosen,
            unsafe=wishes["unsafe"],
            explicit=bool(wishes["select"]),
            **({"measured": clock.fault} if clock else {}),
        )
        return apply(counter, _plain_order(), work)


def _ask(question: str) -> bool:
    """Ask on the terminal; no answer is no."""
    try:
        return click.confirm(question, default=False)
    except click.Abort:
        click.echo()
        return False


def _order(
    names: tuple[str, ...],
    shm: str | None,
    job: dict[str, Any],
    nofile: int | None,
    persist: bool,
    force: bool,
) -> "Order":
    from pipedoctor.catalogue import installed
    from pipedoctor.fix.order import Order

    catalogue = installed()
    pid = job.pop("pid")
    checks = tuple(dict.fromkeys(_check(catalogue, name) for name in names))
    return Order(
        examination=_examination(catalogue, job, pid if checks else None),
        shm=_size(shm) if shm is not None else None,
        nofile=nofile,
        checks=checks,
        pid=pid,
        lasting=persist,
        force=force,
    )


def _plain_order() -> "Order":
    """An undo asks for nothing: no job, and no configuration that could be broken."""
    from pipedoctor.catalogue import installed
    from pipedoctor.collect.plan import Inquiry
    from pipedoctor.fix.named import Examination
    from pipedoctor.fix.order import Order

    inquiry = Inquiry(quick=True)
    return Order(examination=Examination(catalogue=installed(), inquiry=inquiry))


def _examination(
    catalogue: "Catalogue", job: dict[str, Any], pid: int | None
) -> "Examination":
    """Judge as `check --quick` would: the same job, the same configuration."""
    from pipedoctor.cli.inquiry import inquiry
    from pipedoctor.collect.files import Silent
    from pipedoctor.config import File, Unfit, configure, find
    from pipedoctor.examine import Standards
    from pipedoctor.fix.named import Examination
    from pipedoctor.narrow.narrow import Narrowing
    from pipedoctor.selection import UnknownName, selection

    given = {k.replace("_", "-"): v for k, v in job.items() if v not in {None, ()}}
    try:
        config = configure(find(), given | {"quick": True}, catalogue)
    except Unfit as error:
        raise click.UsageError(str(error)) from None
    except Silent as error:
        click.echo(f"pipedoctor: no configuration was read: {error}", err=True)
        config = configure(File(), given | {"quick": True}, catalogue)
    try:
        chosen = selection(catalogue, config.options.select, config.options.ignore)
    except UnknownName as error:
        raise click.UsageError(str(error)) from None
    return Examination(
        catalogue=catalogue,
        inquiry=inquiry(config.options, (), pid),
        standards=Standards(
            chosen=chosen,
            settings=config.settings,
            accepted=config.accepted,
            narrowing=Narrowing(rules=config.rules),
        ),
    )


def _size(text: str) -> "Asked":
    from pipedoctor.fix.sizes import asked

    try:
        return asked(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--shm") from None


def _check(catalogue: "Catalogue", name: str) -> "Check[Any]":
    import difflib

    check = catalogue.find(name)
    if check is None:
        near = difflib.get_close_matches(name.lower(), catalogue.by_name, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; see `pipedoctor list`"
        message = f"{name}: no check of this name or code{hint}"
        raise click.UsageError(message)
    return check
