"""How long workers take to end, seen by a trial after its answer."""

import itertools
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.search.probe import TrialRunner
from pipedoctor.tune.search.session import TargetSession
from pipedoctor.tune.target import endless_loader
from pipedoctor.tune.target.messages import TrialRequest
from pipedoctor.tune.target.trial import TrialRun
from pipedoctor.tune.target.trial_process import WORKER_GRACE

WORKLOADS = Path(__file__).parent / "workloads"
ORDINARY = WORKLOADS / "labelled.py"
TWO = Setting(num_workers=2, prefetch_factor=2, batch_size=4)
ONE = Setting(num_workers=1, prefetch_factor=2, batch_size=4)
KEPT = Setting(num_workers=2, prefetch_factor=2, batch_size=4, persistent_workers=True)


def trials(target: str, *settings: Setting) -> list[Trial]:
    with TargetSession(target) as session:
        session.wait_until_loaded(time.monotonic() + 60)
        bench = TrialRunner(session=session, deadline=time.monotonic() + 60)
        return [bench.measure(of, 0.3, limit=20) for of in settings]


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.torch
def test_workers_end_with_the_epoch_unless_they_are_kept() -> None:
    alone = Setting(num_workers=0, batch_size=4)
    two, kept, none = trials(f"{ORDINARY}:consumer", TWO, KEPT, alone)

    assert two.ending_seconds is not None
    assert 0.001 < two.ending_seconds < WORKER_GRACE
    assert (kept.ending_seconds, none.ending_seconds) == (None, None)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_the_end_of_an_epoch_is_seen_once_for_each_setting() -> None:
    first, again, other = trials(f"{ORDINARY}:consumer", TWO, TWO, ONE)

    assert again.ending_seconds is None
    assert first.ending_seconds
    assert other.ending_seconds


@pytest.mark.parametrize(("each", "length"), [([1], 0.5), ([1, 3], 1.0)])
def test_a_rate_that_is_known_at_half_time_ends_the_window(
    each: list[int], length: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    times = itertools.cycle(each)
    running = object.__new__(TrialRun)
    running.request = TrialRequest(setting=TWO, seconds=1.0, limit=20.0, patience=20.0)
    running.workers, running.begin_time = 1, 0.0
    running.waits, running.next_cpu, running.step_cpu = [], 0.0, 0.0
    running.step = str
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def made(_: object) -> None:
        clock[0] += 0.03 * next(times) * (1 + 0.2 * (clock[0] > 0.2) * (len(each) - 1))

    monkeypatch.setattr(TrialRun, "_next_batch", made)
    running.measure_window()

    assert running.step_ends[-1] == pytest.approx(length, abs=0.12)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_nobody_waits_for_workers_that_do_not_end() -> None:
    (two,) = trials(f"{WORKLOADS / 'broken.py'}:lingers", TWO)

    assert two.batches > 0
    assert two.ending_seconds is None


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_batches_that_take_long_are_not_waited_for() -> None:
    four = Setting(num_workers=4, prefetch_factor=8, batch_size=16)
    (found,) = trials(f"{ORDINARY}:io_latency", four)

    assert found.ending_seconds is None


@pytest.mark.parametrize(
    "sampler",
    [endless_loader.EndlessSampler([1, 2]), endless_loader.EndlessRandomSampler(2)],
    ids=["own", "any"],
)
def test_a_sampler_ends_when_the_epoch_is_over(
    sampler: endless_loader.EndlessSampler | endless_loader.EndlessRandomSampler,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(endless_loader.EndlessSource, "is_over", False)
    indices = iter(sampler)
    assert [next(indices) in {0, 1, 2} for _ in range(9)] == [True] * 9

    endless_loader.finish_epoch()
    assert list(indices) == []


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_interpreters_of_their_own_are_waited_for() -> None:
    with TargetSession(f"{ORDINARY}:consumer") as session:
        session.wait_until_loaded(time.monotonic() + 60)
        bench = TrialRunner(session=session, deadline=time.monotonic() + 90)
        one = Setting(num_workers=1, prefetch_factor=2, batch_size=4)
        spawned = bench.measure(one, 0.3, limit=20, context="spawn")

    assert spawned.ending_seconds is None or spawned.ending_seconds > 0.1
