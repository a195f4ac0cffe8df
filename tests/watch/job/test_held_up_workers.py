"""Workers that wait for another one, told from those that have made their share."""

# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false

from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.watch.job.held_up_workers import compute_held_up_share, count_held_up
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.samples.tally import SampleTally
from pipedoctor.watch.stacks.stack_phases import ProcessPhase

IDLE, FETCHING, WAITING = ProcessPhase.IDLE, ProcessPhase.FETCHING, ProcessPhase.WAITING


def process(phase: ProcessPhase, loader: int = 1, sampled_at: float = 9.0) -> Any:
    return SimpleNamespace(phase=phase, loader=loader, sampled_at=sampled_at, tally=SampleTally())


@pytest.mark.parametrize(
    ("main", "worker", "other", "expected"),
    [
        (WAITING, process(IDLE), process(FETCHING), (1, 1)),
        (WAITING, process(FETCHING), process(IDLE), (1, 0)),
        (ProcessPhase.COMPUTING, process(IDLE), process(FETCHING), (0, 0)),
        (WAITING, process(IDLE), process(IDLE), (0, 0)),
        (WAITING, process(IDLE), process(FETCHING, loader=2), (0, 0)),
        (WAITING, process(IDLE), process(FETCHING, sampled_at=2.0), (1, 1)),
    ],
    ids=[
        "held up",
        "it works",
        "the main process does not wait",
        "nobody works",
        "of another loader",
        "seen before",
    ],
)
def test_one_look(
    main: ProcessPhase, worker: Any, other: Any, expected: tuple[float, float]
) -> None:
    worker = process(worker.phase, worker.loader)
    count_held_up(worker, process(main), [worker, other])

    assert (worker.tally.fetch["late"], worker.tally.fetch["held up"]) == expected


def test_the_loader_that_worked_last_is_the_one_whose_turn_it_is() -> None:
    worker, earlier = process(IDLE), process(FETCHING, sampled_at=5.0)
    other = process(FETCHING, loader=2, sampled_at=6.0)
    count_held_up(worker, process(WAITING), [worker, earlier, other])
    assert not worker.tally.fetch["late"]
    other.sampled_at = 4.0
    count_held_up(worker, process(WAITING), [worker, earlier, other])
    assert worker.tally.fetch["late"] == 1


def test_a_share_of_many_looks() -> None:
    tally = SampleTally()
    tally.fetch.update({"late": 19, "held up": 4})
    assert compute_held_up_share(tally) is None
    tally.fetch.update({"late": 1, "held up": 1})
    assert compute_held_up_share(tally) == 0.25


def test_a_worker_without_a_batch_counts_as_well() -> None:
    """Its loop has let go of the number of the last one."""
    main, other = process(WAITING), process(FETCHING)
    idle = process(IDLE)
    idle.member, idle.sampled_batch = SimpleNamespace(role="worker", main=1), None
    session: Any = SimpleNamespace(processes={1: main}, list_workers=lambda _: [idle, other])
    WatchSession._count_batches(session, idle)  # noqa: SLF001

    assert idle.tally.fetch["held up"] == 1


def test_a_worker_whose_main_process_is_gone() -> None:
    worker = process(IDLE)
    count_held_up(worker, None, [worker, process(FETCHING)])

    assert not worker.tally.fetch
