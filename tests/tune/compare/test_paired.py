"""Before and after in turn: what counts as help, what is taken back, what is said."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import EPOCH, Counterfactual, Finding, Gain, Severity
from pipedoctor.facts import Trial
from pipedoctor.fix.code.measured_gain import EditMeasurement, merge_counterfactuals
from pipedoctor.fix.console.measured_gain import describe_comparison
from pipedoctor.tune.compare.paired import (
    MAX_PAIRS,
    MIN_START_SECONDS,
    PairedComparison,
    measure_pairs,
)
from pipedoctor.tune.search.tuning import TuningRequest
from tests.tune.seen import pipeline, setting, trial, window


def gain(low: float, value: float, high: float) -> Gain:
    return Gain(value=value, low=low, high=high, unit=EPOCH, basis="measured")


HELPS = PairedComparison(predicted=gain(0.4, 0.5, 0.6), measured=gain(0.45, 0.48, 0.5), pairs=5)
NOTHING = PairedComparison(predicted=None, measured=gain(-0.01, 0.02, 0.04), pairs=5)
HARDLY = PairedComparison(predicted=None, measured=gain(0.0, 0.02, 0.04), pairs=5)
NOISY = PairedComparison(
    predicted=None,
    measured=None,
    reason="other processes used 1.0 of 2 CPUs, too much for a reliable measurement",
)
GONE = PairedComparison(predicted=None, measured=None, reason="no such file", is_unusable=True)


@dataclass
class Told:
    lines: list[str] = field(default_factory=list[str])

    def print_lines(self, *lines: str) -> None:
        self.lines += lines


def fault(found: PairedComparison, *, strict: bool) -> tuple[str, list[str]]:
    class Stub:
        request = TuningRequest(target="train.py:make")

        @staticmethod
        def compare(_: Counterfactual) -> PairedComparison:
            return found

    desk: Any = Told()
    before: Any = Stub()
    return EditMeasurement(before=before, strict=strict).explain_rejection(desk, ()), desk.lines


@pytest.mark.parametrize(
    ("found", "why"),
    [
        pytest.param(HELPS, "", id="helps"),
        pytest.param(
            NOTHING,
            "it shows no gain: 2% of epoch time (-1% to 4%)",
            id="may not help",
        ),
        pytest.param(HARDLY, "it shows no gain: 2% of epoch time (0% to 4%)", id="the boundary"),
        pytest.param(
            NOISY,
            "not proved: other processes used 1.0 of 2 CPUs, too much for a reliable measurement",
            id="disturbed",
        ),
        pytest.param(GONE, "the target can no longer be used: no such file", id="broken"),
    ],
)
def test_only_what_helps_stays_where_proof_is_asked_for(found: PairedComparison, why: str) -> None:
    assert fault(found, strict=True)[0] == why


@pytest.mark.parametrize("found", [HELPS, NOTHING, HARDLY, NOISY])
def test_without_proof_it_is_said_and_stays(found: PairedComparison) -> None:
    why, lines = fault(found, strict=False)

    assert why == ""
    assert lines == describe_comparison(found)


def test_a_target_that_is_broken_never_stays() -> None:
    assert fault(GONE, strict=False) == (
        "the target can no longer be used: no such file",
        [],
    )


def test_predicted_stands_against_measured(snapshot: SnapshotAssertion) -> None:
    assert describe_comparison(HELPS) == snapshot
    assert describe_comparison(NOISY) == snapshot


def test_remedies_together() -> None:
    def one(**values: Any) -> Finding:
        return Finding(
            severity=Severity.NOTE,
            summary="x",
            counterfactual=Counterfactual(**values) if values else None,
        )

    assert merge_counterfactuals([one(), one(workers=2)]) == Counterfactual()
    assert merge_counterfactuals([one(uint8=True), one()]) == Counterfactual(uint8=True)
    assert merge_counterfactuals([one(one_thread=True)]) == Counterfactual(one_thread=True)


# --- pairs


class Bench:
    """Gives these trials one after the other; each takes a second of 100."""

    def __init__(self, *trials: Trial, left: float = 100.0) -> None:
        self._trials, self.seconds_left = list(trials), left
        self.contexts: list[str] = []

    def measure(self, *_: Any, limit: float, context: str) -> Trial:
        assert limit >= MIN_START_SECONDS
        self.contexts.append(context)
        return self._trials.pop(0)


class Search:
    def __init__(self, bench: Bench, samples: int | None = 1600) -> None:
        self.runner, self.start = bench, setting(0)
        self.base_pipeline = pipeline(samples=samples, start_method="spawn")


def pairs_of(old: list[Trial], new: list[Trial], left: float = 100.0) -> PairedComparison:
    before: Any = Search(Bench(*old))
    after: Any = Search(Bench(*new, left=left))
    return measure_pairs(before, after, None)


def test_windows_of_both_in_turn() -> None:
    found = pairs_of([trial(0, 0.02)] * MAX_PAIRS, [trial(0, 0.01)] * MAX_PAIRS)

    assert found.pairs == MAX_PAIRS
    assert found.measured is not None
    assert found.measured.value == pytest.approx(0.5)
    assert found.measured.seconds == pytest.approx(1.0)
    assert found.is_improvement


def test_the_start_of_workers_counts_unless_they_are_kept() -> None:
    anew = trial(1, 0.01, first_batch_seconds=1.01)
    kept = trial(
        1,
        0.01,
        first_batch_seconds=1.01,
        setting=setting(1, persistent_workers=True),
    )
    found = pairs_of([anew] * MAX_PAIRS, [kept] * MAX_PAIRS)

    assert found.measured is not None
    assert found.measured.value == pytest.approx(0.5)


@pytest.mark.parametrize(("workers", "value"), [(1, 0.0), (2, 0.5)])
def test_the_end_of_workers_counts_only_where_it_differs(workers: int, value: float) -> None:
    """Of workers that end in the same way it is chance how long that takes."""
    slow = trial(1, 0.01, first_batch_seconds=0.01, ending_seconds=1.0)
    quick = trial(workers, 0.01, first_batch_seconds=0.01, ending_seconds=0.0)
    found = pairs_of([slow] * MAX_PAIRS, [quick] * MAX_PAIRS)

    assert found.measured is not None
    assert found.measured.value == pytest.approx(value)


def test_disturbed_windows_do_not_count(snapshot: SnapshotAssertion) -> None:
    loud = trial(0, 0.5, window=window(own=1.0, foreign=0.9))
    few = [trial(0, 0.02)] * 2 + [loud] * (MAX_PAIRS - 2)
    found = pairs_of(few, [trial(0, 0.01)] * MAX_PAIRS)

    assert found.measured is None
    assert not found.is_improvement
    assert found.pairs == 2
    assert found.reason == snapshot


def test_two_pairs_prove_nothing(snapshot: SnapshotAssertion) -> None:
    found = pairs_of([trial(0, 0.02)], [trial(0, 0.01)], left=0.1)

    assert found.measured is None
    assert found.reason == snapshot
