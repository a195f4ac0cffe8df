"""A loader that failed before a change: whether it runs now, and fails again without."""

from typing import Any

import pytest

from pipedoctor.bench.interval import compute_spread
from pipedoctor.facts import Trial
from pipedoctor.fix.console import measured_gain
from pipedoctor.fix.machine import measure_change
from pipedoctor.fix.machine.measure_change import (
    compare_repair,
)
from pipedoctor.tune.compare.paired import PairedComparison
from pipedoctor.tune.search.probe import TrialFailedError
from tests.fix.measure_change.conftest import (
    DIED,
    LATE,
    NOTHING,
    RUNS,
    Search,
    before,
    giving,
    told,
)


def repair(old: Exception | Trial, *new: Trial | Exception) -> PairedComparison:
    before: Any = Search(old)
    after: Any = Search(*new)
    return compare_repair(before, after, "Bus error")


def test_it_runs_now_and_fails_again_without() -> None:
    found = repair(DIED, *RUNS)

    assert found.is_improvement
    assert measured_gain.describe_comparison(found) == [
        "before: it failed: Bus error",
        f"measured: it runs, {RUNS[0].samples_per_second:.4g} samples/s",
    ]


@pytest.mark.parametrize(
    ("old", "why"),
    [
        (RUNS[0], "it failed before, and runs now with and without the change"),
        (LATE, f"it failed before; measured again without the change: {LATE}"),
    ],
)
def test_what_does_not_fail_again_is_not_repaired(old: Exception | Trial, why: str) -> None:
    found = repair(old, *RUNS)

    assert (found.is_improvement, found.reason) == (False, why)


def test_what_still_fails_is_raised() -> None:
    with pytest.raises(TrialFailedError, match="Bus error"):
        repair(DIED, RUNS[0], DIED)


@pytest.mark.usefixtures("turned")
def test_a_loader_that_failed_is_repaired_or_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rate = compute_spread([1.0])
    assert rate is not None
    found = measured_gain.RepairComparison(**NOTHING, failed="Bus error", rate=rate)
    monkeypatch.setattr(measure_change, "compare_repair", giving(found))

    assert not before("Bus error").explain_rejection(told(), ())
