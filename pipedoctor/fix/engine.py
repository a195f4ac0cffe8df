"""Carry out a plan: note, act, prove; what is not proved is taken back at once."""

import datetime as dt
import getpass
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from pipedoctor import __version__
from pipedoctor.fix import files
from pipedoctor.fix.entry import Entry, Record, State
from pipedoctor.fix.files import Written
from pipedoctor.fix.journal import Journal, stamp
from pipedoctor.fix.plan import Failed, Plan, Remove, Run, Write

PATIENCE = 60.0
"""Seconds that one command of a remedy may take."""

Proof = Callable[[], str]
"""Collect again and judge again; returns why it is not proved, or nothing."""

Garbage = Callable[[], frozenset[str]]
"""Look again: which files does the check still call garbage?"""


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """What a fix works with: the journal, under its lock."""

    journal: Journal
    lock: int
    """Descriptor of the lock; commands inherit it."""


def begin(shop: Workshop, plan: Plan) -> Entry:
    """Note a plan, with copies of all files it replaces; nothing has changed yet."""
    now = dt.datetime.now(tz=dt.timezone.utc)
    name = shop.journal.open(now)
    steps: list[Record] = []
    for number, step in enumerate(plan.steps):
        if not isinstance(step, Write):
            steps.append(step)
            continue
        backup = f"{number}.backup"
        steps.append(files.prepared(step.path, step.content, step.found, backup))
        if step.found is not None:
            shop.journal.keep(name, {backup: step.found})
    return shop.journal.put(
        Entry(
            id=name,
            state=State.PLANNED,
            subject=plan.subject,
            before=plan.before,
            after=plan.after,
            lasts=plan.lasts,
            steps=tuple(steps),
            root=plan.root,
            check=plan.check,
            irreversible=plan.irreversible,
            when=stamp(now),
            who=who(),
            uid=os.getuid(),
            pid=os.getpid(),
            command=tuple(sys.argv[1:]),
            version=__version__,
        )
    )


def carry_out(
    shop: Workshop, entry: Entry, plan: Plan, garbage: Garbage, proof: Proof
) -> Entry:
    """Do every step, each noted before it is done; raises Failed at the first fault."""
    for number, (record, step) in enumerate(zip(entry.steps, plan.steps, strict=True)):
        entry = shop.journal.put(entry, state=State.APPLYING, step=number + 1)
        if isinstance(step, Write) and isinstance(record, Written):
            files.write(record, step.content)
        elif isinstance(step, Run):
            run(step.argv, shop.lock)
            _arrived(step)
        elif isinstance(step, Remove):
            remove(step, garbage())
    entry = shop.journal.put(entry, state=State.APPLIED)
    if why_not := proof():
        raise Failed(why_not)
    return shop.journal.put(entry, state=State.PROVED)


def _arrived(step: Run) -> None:
    """After each step the value is read again."""
    if step.gauge is None:
        return
    now = step.gauge.read()
    if now != step.after:
        shown = "nothing" if now is None else step.gauge.words(now)
        wanted = step.gauge.words(step.after)
        message = f"{step.gauge.subject} shows {shown} afterwards, not {wanted}"
        raise Failed(message)


def run(argv: tuple[str, ...], lock: int, patience: float = PATIENCE) -> None:
    """Run a command in the plain C locale; Failed with its own last words."""
    environment = os.environ | {"LC_ALL": "C"}
    try:
        done = subprocess.run(
            argv,
            check=False,
            capture_output=True,
            env=environment,
            pass_fds=(lock,),
            stdin=subprocess.DEVNULL,
            timeout=patience,
        )
    except OSError as error:
        message = f"{argv[0]} cannot be run: {error.strerror}"
        raise Failed(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"{argv[0]} did not end within {patience:g} s"
        raise Failed(message) from error
    if done.returncode:
        words = (done.stderr or done.stdout).decode(errors="replace").split("\n")
        last = next((w.strip() for w in reversed(words) if w.strip()), "no message")
        message = f"{argv[0]} failed (exit {done.returncode}): {last}"
        raise Failed(message)


def remove(step: Remove, garbage: frozenset[str]) -> None:
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
            raise Failed(message) from error


def who() -> str:
    """The user who asked: behind sudo, the one who typed it."""
    if os.geteuid() == 0 and os.environ.get("SUDO_USER"):
        return os.environ["SUDO_USER"]
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in many containers
        return str(os.getuid())
