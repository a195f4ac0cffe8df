"""Remedies of the launcher by the clock: the loader, started with their variables."""

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from pipedoctor.check import Counterfactual, Finding, Place, Remedy
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.console.measured_gain import explain_rejection
from pipedoctor.tune.compare.paired import (
    BaselineProbe,
    PairedComparison,
    probe_baseline,
)
from pipedoctor.tune.compare.variants import set_environment
from pipedoctor.tune.search.probe import TrialFailedError
from pipedoctor.tune.search.session import TargetLostError
from pipedoctor.tune.search.tuning import TuningRequest

_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=.*")


def find_variables(findings: Sequence[Finding]) -> dict[str, str]:
    """What the first remedy of the launcher sets for the job; empty: none does."""
    for remedy in (remedy for finding in findings for remedy in finding.remedies):
        if found := _parse_variables(remedy):
            return found
    return {}


def _parse_variables(remedy: Remedy) -> dict[str, str]:
    if remedy.place is not Place.LAUNCHER:
        return {}
    exported = remedy.snippet.startswith("export ")
    words = shlex.split(remedy.snippet) if exported else remedy.argv
    return dict(word.split("=", 1) for word in words if _ASSIGNMENT.fullmatch(word))


def report_variable_gain(
    console: Console,
    order: TuningRequest,
    findings: Sequence[Finding],
    *,
    strict: bool,
    probe: BaselineProbe | None = None,
) -> None:
    """
    Measure, and say, what variables save that only the launcher can set.

    `first` is the loader as it is, where it was measured already. A target that cannot
    be read raises the session's Refused.
    """
    values = find_variables(findings)
    if not values:
        return
    found = _compare_variables(order, values, findings, probe)
    order.watch("")
    console.print_lines(f"with {' '.join(f'{name}={value}' for name, value in values.items())}:")
    why = explain_rejection(console, found, strict=strict)
    if why:
        console.print_error(why)


def _compare_variables(
    order: TuningRequest,
    values: Mapping[str, str],
    findings: Sequence[Finding],
    probe: BaselineProbe | None,
) -> PairedComparison:
    """The loader as it is, and one that was started with the variables, in turns."""
    changes = (finding.counterfactual for finding in findings)
    wanted = next(filter(None, changes), None)
    try:
        with _open_measurement(order, probe) as before, set_environment(values):
            found = before.compare(wanted or Counterfactual())
    except (TrialFailedError, TargetLostError) as reason:
        return PairedComparison(predicted=None, measured=None, reason=str(reason))
    if wanted is None:
        return PairedComparison(
            predicted=None,
            measured=found.measured,
            pairs=found.pairs,
            reason=found.reason,
        )
    return found


def _open_measurement(
    order: TuningRequest, probe: BaselineProbe | None
) -> AbstractContextManager[BaselineProbe]:
    return probe_baseline(order) if probe is None else nullcontext(probe)
