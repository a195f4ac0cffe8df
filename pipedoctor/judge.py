"""Run the chosen checks over the facts; one that crashes or hangs harms no other."""

import signal
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pipedoctor.attempt import Crash, attempt
from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Verdict
from pipedoctor.facts import Facts

PATIENCE = 2.0
"""Seconds that one check may think."""

Chosen = Callable[[Check[Any]], bool]


class OutOfTime(BaseException):
    """A check thought too long; no `except Exception` of its own stops this."""


def judge(
    catalogue: Catalogue,
    facts: Facts,
    *,
    chosen: Chosen = lambda _: True,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    patience: float = PATIENCE,
) -> list[Verdict]:
    """One verdict per check of the catalogue, in the order of their codes."""
    known = facts.plus(*catalogue.tables)
    given = settings or {}
    return [
        _verdict(check, known, given.get(check.name, {}), patience)
        if chosen(check)
        else Verdict(check.code, skipped="not selected")
        for check in catalogue.checks.values()
    ]


def _verdict(
    check: Check[Any], facts: Facts, settings: Mapping[str, Any], patience: float
) -> Verdict:
    def run() -> Verdict:
        with _alarm(patience):
            return check.run(facts, **settings)

    done = attempt(run)
    if isinstance(done, Crash):
        reason = done.reason.removeprefix("pipedoctor.judge.")
        return Verdict(check.code, skipped=f"crashed: {reason}", trace=done.trace)
    return done.value


@contextmanager
def _alarm(patience: float) -> Generator[None, None, None]:
    """Raise OutOfTime after this many seconds, where the platform has such alarms."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        message = f"no verdict after {patience:g} s"
        raise OutOfTime(message)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, patience, patience)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
