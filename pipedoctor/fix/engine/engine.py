"""Carry out a plan: note, act, prove; what is not proved is taken back at once."""

import datetime as dt
import getpass
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from pipedoctor.fix.files import files
from pipedoctor.fix.files.files import ReplacedFile
from pipedoctor.fix.files.held_file import HeldFiles
from pipedoctor.fix.journal.entry import FixState, JournalEntry, JournalRecord
from pipedoctor.fix.journal.journal import Journal, format_time
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixPlan,
    RemoveStep,
    StepFailedError,
    WriteStep,
)
from pipedoctor.runtime.captured_process import LateProcessError, run_captured
from pipedoctor.version import __version__

COMMAND_TIMEOUT = 60.0
"""Seconds that one command of a remedy may take."""

Proof = Callable[[], str]
"""Collect again and judge again; returns why it is not proved, or nothing."""

GarbageLookup = Callable[[], frozenset[str]]
"""Look again: which files does the check still call garbage?"""


@dataclass(frozen=True, kw_only=True)
class LockedJournal:
    """What a fix works with: the journal, under its lock."""

    journal: Journal
    lock: int
    """Descriptor of the lock; commands inherit it."""
    files: HeldFiles = field(default_factory=HeldFiles)
    """What is replaced, held since it was read."""


def record_plan(locked_journal: LockedJournal, plan: FixPlan) -> JournalEntry:
    """
    Write a plan to the journal, with copies of all files it replaces.

    Nothing has changed yet.
    """
    now = dt.datetime.now(tz=dt.timezone.utc)
    backups: dict[str, bytes] = {}
    steps: list[JournalRecord] = []
    for number, step in enumerate(plan.steps):
        if not isinstance(step, WriteStep):
            steps.append(step)
            continue
        backup = f"{number}.backup"
        held = locked_journal.files
        steps.append(files.record_file(held, step.path, step.content, step.found, backup))
        if step.found is not None:
            backups[backup] = step.found

    def build(name: str) -> JournalEntry:
        return _describe_plan(plan, name, tuple(steps), now)

    return locked_journal.journal.add_entry(now, backups, build)


def _describe_plan(
    plan: FixPlan, name: str, steps: tuple[JournalRecord, ...], now: dt.datetime
) -> JournalEntry:
    return JournalEntry(
        id=name,
        state=FixState.PLANNED,
        subject=plan.subject,
        before=plan.before,
        after=plan.after,
        lasts=plan.lasts,
        steps=steps,
        root=plan.root,
        check=plan.check,
        irreversible=plan.irreversible,
        when=format_time(now),
        who=get_requesting_user(),
        uid=os.getuid(),
        pid=os.getpid(),
        command=tuple(sys.argv[1:]),
        version=__version__,
    )


def execute_plan(
    locked_journal: LockedJournal,
    entry: JournalEntry,
    plan: FixPlan,
    garbage: GarbageLookup,
    proof: Proof,
) -> JournalEntry:
    """Do every step, each noted before it is done; raises Failed at the first fault."""
    for number, (record, step) in enumerate(zip(entry.steps, plan.steps, strict=True)):
        entry = locked_journal.journal.save(entry, state=FixState.APPLYING, step=number + 1)
        if isinstance(step, WriteStep) and isinstance(record, ReplacedFile):
            files.write_content(locked_journal.files, record, step.content)
        elif isinstance(step, CommandStep):
            run_command(step.argv, locked_journal.lock)
            _verify_value(step)
        elif isinstance(step, RemoveStep):
            remove_garbage(step, garbage())
    entry = locked_journal.journal.save(entry, state=FixState.APPLIED)
    if why_not := proof():
        raise StepFailedError(why_not)
    return locked_journal.journal.save(entry, state=FixState.PROVED)


def _verify_value(step: CommandStep) -> None:
    """
    Read the value again after a step.

    Raises StepFailedError when it is not the wanted one.
    """
    if step.gauge is None:
        return
    now = step.gauge.read()
    if now != step.after:
        shown = "nothing" if now is None else step.gauge.format_value(now)
        wanted = step.gauge.format_value(step.after)
        message = f"{step.gauge.subject} shows {shown} afterwards, not {wanted}"
        raise StepFailedError(message)


def run_command(argv: tuple[str, ...], lock: int, timeout: float = COMMAND_TIMEOUT) -> None:
    """Run a command in the plain C locale; Failed with its own last words."""
    environment = os.environ | {"LC_ALL": "C"}
    try:
        done = run_captured(argv, environ=environment, pass_fds=(lock,), timeout=timeout)
    except OSError as error:
        message = f"{argv[0]} cannot be run: {error.strerror}"
        raise StepFailedError(message) from error
    except LateProcessError as error:
        message = f"{argv[0]} {error}"
        raise StepFailedError(message) from error
    if done.returncode:
        words = (done.stderr or done.stdout).decode(errors="replace").split("\n")
        last = next((w.strip() for w in reversed(words) if w.strip()), "no message")
        message = f"{argv[0]} failed (exit {done.returncode}): {last}"
        raise StepFailedError(message)


def remove_garbage(step: RemoveStep, garbage: frozenset[str]) -> None:
    """Remove what was planned and is still garbage; what is in use now stays."""
    for path in step.paths:
        if path not in garbage:
            continue
        try:
            os.unlink(path)  # noqa: PTH108  (never follows a link, never a directory)
        except FileNotFoundError:
            continue
        except OSError as error:
            message = f"{path} cannot be removed: {error.strerror}"
            raise StepFailedError(message) from error


def get_requesting_user() -> str:
    """The user who asked: behind sudo, the one who typed it."""
    if os.geteuid() == 0 and os.environ.get("SUDO_USER"):
        return os.environ["SUDO_USER"]
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in many containers
        return str(os.getuid())
