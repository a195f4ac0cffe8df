"""Run the chosen checks over the facts; one that crashes or hangs harms no other."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pipedoctor.check import Check, Finding, Verdict
from pipedoctor.engine.catalogue import Catalogue
from pipedoctor.engine.effective_remedies import keep_effective_remedies
from pipedoctor.facts import Facts
from pipedoctor.facts.applicability import NOT_SELECTED
from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.runtime.probe import NEVER_STARTED
from pipedoctor.runtime.time_limit import TimeLimitError, interrupt_after

CHECK_TIMEOUT = 2.0
"""Seconds that one check may think."""
LEAST_TIMEOUT = 0.3
"""Seconds that a check has which leads, however late it is."""

CheckFilter = Callable[[Check[Any]], bool]


class CheckTimeoutError(TimeLimitError):
    """A check thought too long."""


def run_checks(
    catalogue: Catalogue,
    facts: Facts,
    *,
    check_filter: CheckFilter = lambda _: True,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    timeout: float = CHECK_TIMEOUT,
    until: float = math.inf,
) -> list[Verdict]:
    """
    One verdict per check of the catalogue, in the order of their codes.

    A check may think for `patience` seconds, all together until the clock says
    `until` (on `time.monotonic`'s); those whose turn does not come are skipped. One that
    leads has its turn even so: it says why there was no time for the others.
    """
    known = facts.merge(*catalogue.tables)
    given = settings or {}
    verdicts: list[Verdict] = []
    with contextlib.redirect_stdout(sys.stderr):  # a check may not write the report
        for check in catalogue.checks.values():
            left = min(timeout, until - time.monotonic())
            if check.leads:
                left = max(left, LEAST_TIMEOUT)
            if not check_filter(check):
                verdicts.append(Verdict(check.code, skipped=NOT_SELECTED, applicable=False))
            elif left <= 0:
                verdicts.append(Verdict(check.code, skipped=NEVER_STARTED))
            else:
                settled = given.get(check.name, {})
                verdicts.append(_run_check(check, known, settled, left))
    return verdicts


def _run_check(
    check: Check[Any], facts: Facts, settings: Mapping[str, Any], patience: float
) -> Verdict:
    def run() -> Verdict:
        late = CheckTimeoutError(f"no verdict after {patience:g} s")
        with interrupt_after(patience, late):
            verdict = check.run(facts, **settings)
            for finding in verdict.findings:
                _validate_finding(finding)
            return keep_effective_remedies(check, facts, verdict, settings)

    done = attempt(run)
    if isinstance(done, Crash):
        reason = done.reason.removeprefix("pipedoctor.engine.runner.")
        return Verdict(check.code, skipped=f"crashed: {reason}", trace=done.trace)
    return done.value


def _validate_finding(finding: object) -> None:
    """Raise TypeError or ValueError for what no report could show."""
    if not isinstance(finding, Finding):
        message = f"yielded {type(finding).__name__}, not a Finding"
        raise TypeError(message)
    msgspec.convert(msgspec.to_builtins(finding), Finding)
    msgspec.json.encode(finding)
