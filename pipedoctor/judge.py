"""Run the chosen checks over the facts; one that crashes or hangs harms no other."""

import contextlib
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from types import FrameType
from typing import Any

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.catalogue import Catalogue
from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.collect.probe import NEVER
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
    until: float = math.inf,
) -> list[Verdict]:
    """
    One verdict per check of the catalogue, in the order of their codes.

    A check may think for `patience` seconds, all together until the clock says
    `until` (on `time.monotonic`'s); those whose turn does not come are skipped.
    """
    known = facts.plus(*catalogue.tables)
    given = settings or {}
    verdicts: list[Verdict] = []
    with contextlib.redirect_stdout(sys.stderr):  # a check may not write the report
        for check in catalogue.checks.values():
            left = min(patience, until - time.monotonic())
            if not chosen(check):
                verdicts.append(Verdict(check.code, skipped="not selected"))
            elif left <= 0:
                verdicts.append(Verdict(check.code, skipped=NEVER))
            else:
                settled = given.get(check.name, {})
                verdicts.append(_verdict(check, known, settled, left))
    return verdicts


def _verdict(
    check: Check[Any], facts: Facts, settings: Mapping[str, Any], patience: float
) -> Verdict:
    def run() -> Verdict:
        with _alarm(patience):
            verdict = check.run(facts, **settings)
            for finding in verdict.findings:
                _presentable(finding)
            return verdict

    done = attempt(run)
    if isinstance(done, Crash):
        reason = done.reason.removeprefix("pipedoctor.judge.")
        return Verdict(check.code, skipped=f"crashed: {reason}", trace=done.trace)
    return done.value


def _presentable(finding: object) -> None:
    """Raise TypeError or ValueError for what no report could show."""
    if not isinstance(finding, Finding):
        message = f"yielded {type(finding).__name__}, not a Finding"
        raise TypeError(message)
    msgspec.convert(msgspec.to_builtins(finding), Finding)
    msgspec.json.encode(finding)


@contextlib.contextmanager
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
