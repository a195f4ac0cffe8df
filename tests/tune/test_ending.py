"""How long workers take to end, seen by a trial after its answer."""

import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.inside import stream
from pipedoctor.tune.inside.host import GRACE
from pipedoctor.tune.probe import Bench
from pipedoctor.tune.session import Session

WORKLOADS = Path(__file__).parent / "workloads"
ORDINARY = WORKLOADS / "labelled.py"
TWO = Setting(num_workers=2, prefetch_factor=2, batch_size=4)
KEPT = Setting(num_workers=2, prefetch_factor=2, batch_size=4, persistent_workers=True)


def trials(target: str, *settings: Setting) -> list[Trial]:
    with Session(target) as session:
        session.loaded(time.monotonic() + 60)
        bench = Bench(session=session, until=time.monotonic() + 60)
        return [bench.measure(of, 0.3, limit=20) for of in settings]


@pytest.mark.slow
@pytest.mark.torch
def test_workers_end_with_the_epoch_unless_they_are_kept() -> None:
    alone = Setting(num_workers=0, batch_size=4)
    two, kept, none = trials(f"{ORDINARY}:consumer", TWO, KEPT, alone)

    assert two.ending_seconds is not None
    assert 0.001 < two.ending_seconds < GRACE
    assert (kept.ending_seconds, none.ending_seconds) == (None, None)


@pytest.mark.slow
@pytest.mark.torch
def test_nobody_waits_for_workers_that_do_not_end() -> None:
    (two,) = trials(f"{WORKLOADS / 'broken.py'}:lingers", TWO)

    assert two.batches > 0
    assert two.ending_seconds is None


@pytest.mark.slow
@pytest.mark.torch
def test_batches_that_take_long_are_not_waited_for() -> None:
    four = Setting(num_workers=4, prefetch_factor=8, batch_size=16)
    (found,) = trials(f"{ORDINARY}:io_latency", four)

    assert found.ending_seconds is None


@pytest.mark.parametrize(
    "sampler", [stream.Endless([1, 2]), stream.Anywhere(2)], ids=["own", "any"]
)
def test_a_sampler_ends_when_the_epoch_is_over(
    sampler: stream.Endless | stream.Anywhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream.Repeated, "over", False)
    indices = iter(sampler)
    assert [next(indices) in {0, 1, 2} for _ in range(9)] == [True] * 9

    stream.finish()
    assert list(indices) == []


@pytest.mark.slow
@pytest.mark.torch
def test_interpreters_of_their_own_are_waited_for() -> None:
    with Session(f"{ORDINARY}:consumer") as session:
        session.loaded(time.monotonic() + 60)
        bench = Bench(session=session, until=time.monotonic() + 90)
        one = Setting(num_workers=1, prefetch_factor=2, batch_size=4)
        spawned = bench.measure(one, 0.3, limit=20, context="spawn")

    assert spawned.ending_seconds is None or spawned.ending_seconds > 0.1
