"""Whether programs of others keep the processors busy that a job may use."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.bottleneck.classify_observed import classify_observed, is_doubtful
from pipedoctor.collect.machine import Machine
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, FetchShares, MainShares, Observation, WorkerShares
from pipedoctor.watch.observation.foreign_load import estimate_foreign_load
from pipedoctor.watch.samples.tally import SampleTally
from pipedoctor.watch.system.job_limits import JobLimits
from tests.watch.observations import seen
from tests.watch.test_classify_observed import SEEN, pipeline


def crowded(delayed: float, **more: Any) -> Observation:
    """Others run for this share of making batches, and for half as much of the rest."""
    fetch = FetchShares(running=0.95 - delayed, delayed=delayed, waiting=0.05, samples=100)
    return seen(fetch=fetch, foreign_load=1.0, **more)


FINE = {
    "programs of others run": crowded(0.2, main=MainShares(waiting=0.25, blocked=0.75)),
    "others run while a busy worker hands over": crowded(
        0.55,
        main=MainShares(waiting=0.03, receiving=0.32, blocked=0.65),
        worker=WorkerShares(idle=0.4, fetching=0.6),
        object_share=1.0,
    ),
    "others run while batches are taken in": crowded(
        0.0,
        main=MainShares(receiving=0.57, receiving_delayed=0.36, model=0.43, delayed=0.68),
        worker=WorkerShares(idle=1.0),
        object_share=1.0,
    ),
    "others run when the training process is woken": crowded(
        0.7,
        main=MainShares(waiting=0.32, waiting_delayed=0.25, blocked=0.68, delayed=0.41),
        worker=WorkerShares(idle=0.98, collating=0.02),
    ),
    "others run beside a process without workers": crowded(
        0.6, main=MainShares(fetching=0.25, blocked=0.75, delayed=0.15), workers=0
    ),
}


@pytest.mark.parametrize(
    ("busy", "quota", "expected"),
    [(2.0, False, 2 / 3), (1.6, False, 0.0), (None, False, 0.0), (2.0, True, 0.0)],
)
def test_who_has_the_processors(busy: float | None, quota: bool, expected: float) -> None:
    """Of two processors the job keeps one busy, half of it by this worker."""
    limits = SimpleNamespace(busy_cpus=busy, cpus=2.0, has_quota=quota)
    tallies = [SampleTally(seconds=10.0, cpu=5.0), SampleTally(seconds=10.0, cpu=4.0, children=1.0)]
    processes = {n: SimpleNamespace(tally=tally) for n, tally in enumerate(tallies)}
    session: Any = SimpleNamespace(limits=limits, processes=processes)

    found = estimate_foreign_load(session, SampleTally(seconds=10.0, cpu=5.0))
    assert found == pytest.approx(expected)


def test_busy_processors_are_those_that_the_job_may_use(tmp_path: Path) -> None:
    own = min(os.sched_getaffinity(0))
    stat = tmp_path / "proc" / "stat"
    stat.parent.mkdir()
    stat.write_text(f"cpu 9 9 9 9 9 9 9\ncpu{own} 100 0 0 50 0 0 0 0\ncpu999 1 0 0 0 0 0 0 0\n")
    limits = JobLimits(Machine(root=tmp_path))
    before = limits.busy_cpus
    stat.write_text(f"cpu{own} 100 5 10 90 7 1 2 9\ncpu999 9999 0 0 0 0 0 0 0\n")
    limits.read_rates()

    assert before is None
    assert limits.busy_cpus is not None
    assert limits.busy_cpus > 0.18  # seconds of CPU, in less than one of time


@pytest.mark.parametrize("name", FINE)
def test_others_are_never_blamed_on_the_pipeline(name: str) -> None:
    assert classify_observed(FINE[name]).name == "consumer"


def test_data_that_is_late_whoever_runs_is_blamed_on_the_pipeline() -> None:
    """Both take longer while others run: making a batch, and the step."""
    late = crowded(0.5, main=MainShares(waiting=0.8, blocked=0.2, delayed=0.04))

    assert late.late_share == pytest.approx(1 - 0.16 / 0.525)
    assert classify_observed(late).name == "transform-cpu"
    alone = FINE["others run beside a process without workers"]
    assert alone.late_share == pytest.approx(0.1 / 0.85)
    assert classify_observed(alone).reason.endswith(", 13% because other programs have the CPUs")
    assert is_doubtful(alone, classify_observed(alone))


def test_a_step_is_no_longer_than_what_it_ran_and_stood() -> None:
    """Where nearly all of the time is lost to others, few samples of it tell nothing."""
    busy = WorkerShares(fetching=1.0)
    short = MainShares(waiting=0.87, computing=0.13, delayed=0.08, ran=0.02)
    fetch = FetchShares(running=0.1, delayed=0.9, samples=100)
    late = seen(fetch=fetch, foreign_load=1.0, main=short, worker=busy)

    assert classify_observed(late).name == "transform-cpu"
    assert late.late_share == pytest.approx(1 - 0.02 / 0.1)
    unknown = replace(late, main=replace(short, ran=None))
    assert unknown.late_share == pytest.approx(1 - 0.05 / 0.1)
    stands = replace(late, main=replace(short, computing=0.03, blocked=0.1, delayed=0.01))
    assert classify_observed(stands).name == "consumer"


def test_who_computes_in_between_does_so_most_of_the_time_that_others_leave() -> None:
    main = MainShares(waiting=0.66, waiting_delayed=0.645, computing=0.34, delayed=0.825, ran=0.16)
    taken = crowded(0.9, main=main, worker=WorkerShares(idle=0.85, fetching=0.15))
    found = classify_observed(taken)

    assert found.name == "main-thread"
    assert found.reason.startswith("it waits for data 66% of the time, ")
    assert found.reason.endswith(
        "because other programs have the CPUs; the training process itself computes 34%"
        " of the time outside the model"
    )


def test_a_pipeline_that_others_hold_up_is_not_called_fine() -> None:
    found = classify_observed(FINE["programs of others run"])

    assert found.reason.startswith("data would be in time on CPUs of its own: it waits for data")


def test_no_bottleneck_is_ruled_out_where_no_stack_was_read() -> None:
    facts = Facts(pipeline(SEEN["unknown"]))
    run = {name: get_catalogue().by_name[f"bottleneck-{name}"].run for name in SEEN}
    verdicts = {name: check(facts) for name, check in run.items()}

    assert {name for name, verdict in verdicts.items() if verdict.findings} == {"unknown"}
    assert {name for name, verdict in verdicts.items() if not verdict.skipped} == {"unknown"}


def test_taking_in_takes_longer_while_others_run() -> None:
    """As the making of batches does, which most of the wait is for."""
    handed = crowded(
        0.6,
        workers=1,
        main=MainShares(waiting=0.42, receiving=0.25, receiving_delayed=0.08, blocked=0.25),
        worker=WorkerShares(idle=0.56, fetching=0.4, sending=0.04),
        object_share=1.0,
    )

    assert classify_observed(handed).name == "transform-cpu"
    assert classify_observed(replace(handed, foreign_load=0.0)).name == "ipc-objects"


def test_a_long_wait_of_a_pipeline_that_is_fine_is_explained() -> None:
    """Most of it would not be there on processors of its own."""
    main = MainShares(waiting=0.05, receiving=0.4, receiving_delayed=0.2, model=0.55, delayed=0.4)
    found = classify_observed(seen(main=main, worker=WorkerShares(idle=1.0), object_share=0.9))

    assert found.reason == (
        "the pipeline is fine: it waits for data 45% of the time,"
        " 40% while it takes in batches that are ready"
    )
