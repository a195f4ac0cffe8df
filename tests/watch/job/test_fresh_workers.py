"""Workers that have only just been started, and loaders without workers, beside others."""

# pyright: reportUnknownLambdaType=false, reportPrivateUsage=false

from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.watch.job.batch_progress import BatchProgress
from pipedoctor.watch.job.fresh_workers import waits_for_fresh_workers
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.observe import observe_ranks
from pipedoctor.watch.samples.tally import SampleTally
from pipedoctor.watch.stacks.stack_phases import ProcessPhase


def worker(phase: str, batch: int | None = None, *, delivered: bool = False) -> Any:
    return SimpleNamespace(phase=ProcessPhase(phase), batch=batch, has_delivered=delivered)


STARTS, FIRST = worker("starting"), worker("fetching", 1)
IDLE, LATER = worker("idle", 7, delivered=True), worker("fetching", 9, delivered=True)


@pytest.mark.parametrize(
    ("workers", "again", "expected"),
    [
        pytest.param([STARTS, STARTS], False, True, id="all start"),
        pytest.param([STARTS, IDLE], False, True, id="others have nothing to do"),
        pytest.param([STARTS, LATER], False, False, id="others make batches"),
        pytest.param([IDLE, IDLE], True, False, id="nobody starts"),
        pytest.param([FIRST, FIRST], True, True, id="the first batch after others have ended"),
        pytest.param([FIRST, FIRST], False, False, id="the first batch of all"),
        pytest.param([worker("fetching", 2)] * 2, True, False, id="a later batch"),
        pytest.param([worker("fetching")] * 2, True, False, id="nobody knows which batch"),
        pytest.param([worker("fetching", 0, delivered=True)] * 2, True, False, id="kept workers"),
    ],
)
def test_what_is_waited_for(workers: list[Any], again: bool, expected: bool) -> None:
    assert waits_for_fresh_workers(workers, again=again) is expected


def main_process(rank: int | None, **phases: float) -> Any:
    tally = SampleTally(samples=100.0)
    tally.phases.update(phases)
    member = SimpleNamespace(pid=rank or 0, rank=rank, world=None)
    return SimpleNamespace(tally=tally, member=member, unknown={}, code_root="")


def job(mains: list[Any]) -> Any:
    """A session of these main processes, whose workers have shown nothing."""
    limits = {"busy_cpus": None, "throttled_share": None, "cpus": 2.0, "huge_faults": 0.0}
    return SimpleNamespace(
        list_mains=lambda: mains,
        list_delivering=lambda _: [SimpleNamespace(list_batch_seconds=list)] * 2,
        list_item_times=lambda _: [],
        sum_worker_tallies=lambda _: SampleTally(),
        progress=BatchProgress(),
        most_workers={},
        seconds=5.0,
        mounts=[],
        limits=SimpleNamespace(has_quota=False, **limits),
        gpus=SimpleNamespace(list_devices=list),
    )


@pytest.mark.parametrize(("own", "waiting", "workers"), [(60, 25, 0), (20, 25, 2), (4, 2, 2)])
def test_a_loader_without_workers_beside_one_that_has_some(
    own: int, waiting: int, workers: int
) -> None:
    """What is judged is the loader that most of the wait is spent in."""
    main = main_process(None, fetching=own, waiting=waiting, blocked=100 - own - waiting)
    (found,) = observe_ranks(job([main]))

    assert found.workers == workers


def test_of_ranks_that_wait_as_long_the_one_with_busy_workers_is_slow() -> None:
    mains = [main_process(rank, waiting=70, blocked=30) for rank in (0, 1)]
    busy, idle = SampleTally(), main_process(0, idle=100).tally
    busy.phases.update(fetching=90, idle=10)
    session = job(mains)
    session.sum_worker_tallies = lambda main: idle if main is mains[0] else busy

    assert [found.rank for found in observe_ranks(session)] == [1, 0]


def test_every_worker_is_looked_at_once_before_any_of_them_again() -> None:
    roles = {"main": [1], "worker": [2, 3, 4]}
    session: Any = SimpleNamespace(pids_by_role=roles, _turn=0)
    seen = [WatchSession._choose_processes(session)[1] for _ in range(24)]  # noqa: SLF001

    assert set(seen[:3]) == {2, 3, 4}
    assert seen[7:15] == [3] * 8
