"""Before and after in turn: what counts as help, what is taken back, what is said."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from pipedoctor.check import EPOCH, Counterfactual, Finding, Gain, Severity
from pipedoctor.facts import Trial
from pipedoctor.fix.clock import said
from pipedoctor.fix.code.measure import Clock, together
from pipedoctor.tune.proof import LEAST, PAIRS, Compared, paired
from pipedoctor.tune.tuning import Order
from tests.tune.seen import pipeline, setting, trial, window


def gain(low: float, value: float, high: float) -> Gain:
    return Gain(value=value, low=low, high=high, unit=EPOCH, basis="measured")


HELPS = Compared(predicted=gain(0.4, 0.5, 0.6), measured=gain(0.45, 0.48, 0.5), pairs=5)
NOTHING = Compared(predicted=None, measured=gain(-0.01, 0.02, 0.04), pairs=5)
HARDLY = Compared(predicted=None, measured=gain(0.0, 0.02, 0.04), pairs=5)
NOISY = Compared(predicted=None, measured=None, why="foreign CPU 1.0 cores: cannot say")
GONE = Compared(predicted=None, measured=None, why="no such file", broken=True)


@dataclass
class Told:
    lines: list[str] = field(default_factory=list[str])

    def say(self, *lines: str) -> None:
        self.lines += lines


def fault(found: Compared, *, strict: bool) -> tuple[str, list[str]]:
    class Stub:
        order = Order(target="train.py:make")

        @staticmethod
        def compare(_: Counterfactual) -> Compared:
            return found

    desk: Any = Told()
    before: Any = Stub()
    return Clock(before=before, strict=strict).fault(desk, ()), desk.lines


@pytest.mark.parametrize(
    ("found", "why"),
    [
        pytest.param(HELPS, "", id="helps"),
        pytest.param(
            NOTHING,
            "it does not help: 2% of epoch time (-1% to 4%)",
            id="may not help",
        ),
        pytest.param(
            HARDLY, "it does not help: 2% of epoch time (0% to 4%)", id="the boundary"
        ),
        pytest.param(
            NOISY, "not proved: foreign CPU 1.0 cores: cannot say", id="disturbed"
        ),
        pytest.param(
            GONE, "the target cannot be used any more: no such file", id="broken"
        ),
    ],
)
def test_only_what_helps_stays_where_proof_is_asked_for(
    found: Compared, why: str
) -> None:
    assert fault(found, strict=True)[0] == why


@pytest.mark.parametrize("found", [HELPS, NOTHING, HARDLY, NOISY])
def test_without_proof_it_is_said_and_stays(found: Compared) -> None:
    why, lines = fault(found, strict=False)

    assert why == ""
    assert lines == said(found)


def test_a_target_that_is_broken_never_stays() -> None:
    assert fault(GONE, strict=False) == (
        "the target cannot be used any more: no such file",
        [],
    )


def test_predicted_stands_against_measured() -> None:
    assert said(HELPS) == [
        "predicted: Saves 50% of epoch time (40% to 60%, measured)",
        "measured: Saves 48% of epoch time (45% to 50%, measured), 5 pairs",
    ]
    assert said(NOISY) == ["measured: cannot say: foreign CPU 1.0 cores: cannot say"]


def test_remedies_together() -> None:
    def one(**values: Any) -> Finding:
        return Finding(
            severity=Severity.NOTE,
            summary="x",
            counterfactual=Counterfactual(**values) if values else None,
        )

    assert together([one(), one(workers=2)]) == Counterfactual()
    assert together([one(uint8=True), one()]) == Counterfactual(uint8=True)
    assert together([one(one_thread=True)]) == Counterfactual(one_thread=True)


# --- pairs


class Bench:
    """Gives these trials one after the other; each takes a second of 100."""

    def __init__(self, *trials: Trial, left: float = 100.0) -> None:
        self._trials, self.left = list(trials), left
        self.contexts: list[str] = []

    def measure(self, *_: Any, limit: float, context: str) -> Trial:
        assert limit >= LEAST
        self.contexts.append(context)
        return self._trials.pop(0)


class Search:
    def __init__(self, bench: Bench, samples: int | None = 1600) -> None:
        self.bench, self.start = bench, setting(0)
        self.base = pipeline(samples=samples, start_method="spawn")


def pairs_of(old: list[Trial], new: list[Trial], left: float = 100.0) -> Compared:
    before: Any = Search(Bench(*old))
    after: Any = Search(Bench(*new, left=left))
    return paired(before, after, None)


def test_windows_of_both_in_turn() -> None:
    found = pairs_of([trial(0, 0.02)] * PAIRS, [trial(0, 0.01)] * PAIRS)

    assert found.pairs == PAIRS
    assert found.measured is not None
    assert found.measured.value == pytest.approx(0.5)
    assert found.measured.seconds == pytest.approx(1.0)
    assert found.helps


def test_the_start_of_workers_counts_unless_they_are_kept() -> None:
    anew = trial(1, 0.01, first_batch_seconds=1.01)
    kept = trial(
        1,
        0.01,
        first_batch_seconds=1.01,
        setting=setting(1, persistent_workers=True),
    )
    found = pairs_of([anew] * PAIRS, [kept] * PAIRS)

    assert found.measured is not None
    assert found.measured.value == pytest.approx(0.5)


@pytest.mark.parametrize(("workers", "value"), [(1, 0.0), (2, 0.5)])
def test_the_end_of_workers_counts_only_where_it_differs(
    workers: int, value: float
) -> None:
    """Of workers that end in the same way it is chance how long that takes."""
    slow = trial(1, 0.01, first_batch_seconds=0.01, ending_seconds=1.0)
    quick = trial(workers, 0.01, first_batch_seconds=0.01, ending_seconds=0.0)
    found = pairs_of([slow] * PAIRS, [quick] * PAIRS)

    assert found.measured is not None
    assert found.measured.value == pytest.approx(value)


def test_disturbed_windows_do_not_count() -> None:
    loud = trial(0, 0.5, window=window(own=1.0, foreign=0.9))
    few = [trial(0, 0.02)] * 2 + [loud] * (PAIRS - 2)
    found = pairs_of(few, [trial(0, 0.01)] * PAIRS)

    assert found.measured is None
    assert not found.helps
    assert found.pairs == 2
    assert found.why == "foreign CPU 0.9 cores: cannot say"


def test_two_pairs_prove_nothing() -> None:
    found = pairs_of([trial(0, 0.02)], [trial(0, 0.01)], left=0.1)

    assert found.measured is None
    assert found.why == "only 0 pairs of windows in the time given"
