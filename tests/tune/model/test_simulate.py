"""The event simulation: laws that hold on paper, and torch's own order of work."""

from typing import Any

import pytest

from pipedoctor.tune.model.simulate import simulate, simulate_epoch
from pipedoctor.tune.model.types import CPU, TIME, SimulationInput


def seconds(**values: object) -> float:
    full: dict[str, object] = {
        "tasks": [(0.0, 0.02)],
        "workers": 1,
        "prefetch": 2,
        "receive_seconds": 1e-6,
        "cores": 4.0,
        **values,
    }
    return simulate(SimulationInput(**full)).batch_seconds  # type: ignore[arg-type]


_USED: dict[str, object] = {"consumer_phases": ((TIME, 0.02),)}
LAWS: dict[str, tuple[dict[str, Any], float]] = {
    "one worker takes its time": ({}, 0.02),
    "two take half": ({"workers": 2}, 0.01),
    "workers share the processors": ({"workers": 4, "cores": 2.0}, 0.01),
    "a quota is a fraction of one": ({"workers": 2, "cores": 0.5}, 0.04),
    "waiting needs no processor": (
        {"tasks": [(0.08, 0.0)], "workers": 8, "cores": 1.0},
        0.01,
    ),
    "a store that serves one at a time": (
        {"tasks": [(0.08, 0.0)], "workers": 8, "parallel_reads": 1.0},
        0.08,
    ),
    "or two": ({"tasks": [(0.08, 0.0)], "workers": 8, "parallel_reads": 2.0}, 0.04),
    "a slow consumer hides the workers": (
        {"workers": 2, "consumer_phases": ((TIME, 0.05),)},
        0.05,
    ),
    "one that computes takes a processor": (
        {"workers": 2, "cores": 1.0, "consumer_phases": ((CPU, 0.02),)},
        0.04,
    ),
    "receiving is done by one process": (
        {"workers": 8, "cores": 64.0, "receive_seconds": 0.03},
        0.03,
    ),
    "threads of a worker take processors too": (
        {"workers": 2, "cores": 2.0, "worker_cores": 2.0},
        0.02,
    ),
    "crowded processors are slower": (
        {"workers": 2, "cores": 2.0, "cpu_contention": 0.5},
        0.015,
    ),
    "a thread that pins receives while the consumer computes": (
        {"workers": 8, "cores": 64.0, "receive_seconds": 0.01, "pin_seconds": 0.01, **_USED},
        0.02,
    ),
    "without it the consumer does": (
        {"workers": 8, "cores": 64.0, "receive_seconds": 0.01, **_USED},
        0.03,
    ),
    "more pinning than the consumer can use": (
        {"workers": 8, "cores": 64.0, "receive_seconds": 0.01, "pin_seconds": 0.03, **_USED},
        0.04,
    ),
    "without workers the main process pins": (
        {"workers": 0, "pin_seconds": 0.01, **_USED},
        0.05,
    ),
    "without workers all is done in turn": (
        {"workers": 0, "tasks": [(0.01, 0.02)], "consumer_phases": ((TIME, 0.03),)},
        0.06,
    ),
    "and a quota slows it": ({"workers": 0, "cores": 0.5}, 0.04),
}


@pytest.mark.parametrize(("values", "expected"), LAWS.values(), ids=LAWS)
def test_laws(values: dict[str, object], expected: float) -> None:
    assert seconds(**values) == pytest.approx(expected, rel=0.02)


def test_a_straggler_holds_up_what_is_in_order() -> None:
    tasks = [(0.0, 0.002)] * 15 + [(0.3, 0.002)]
    common = {"tasks": tasks, "workers": 4, "prefetch": 2, "consumer_phases": ((TIME, 0.02),)}
    ordered = seconds(**common)
    loose = seconds(**common, in_order=False)
    assert loose < 0.9 * ordered
    assert loose >= 0.02
    assert seconds(**{**common, "prefetch": 8}) < ordered


def test_batches_that_come_early_are_counted() -> None:
    common: dict[str, Any] = {"workers": 4, "prefetch": 4, "receive_seconds": 1e-6}
    common["cores"] = 8.0
    even = simulate(SimulationInput(tasks=[(0.02, 0.0)], **common))
    assert (even.early_batches, even.max_early_batches) == (0.0, 0)
    ragged = simulate(SimulationInput(tasks=[(0.002, 0.0)] * 15 + [(0.3, 0.0)], **common))
    assert 4 < ragged.early_batches < ragged.max_early_batches <= 3 * 4
    loose = simulate(SimulationInput(tasks=[(0.002, 0.0)], in_order=False, **common))
    assert loose.max_early_batches == 0


def test_a_busy_worker_hands_over_late_and_an_idle_one_at_once() -> None:
    assert seconds(handover_seconds=(0.05, 0.05)) == pytest.approx(0.05, rel=0.1)
    assert seconds(handover_seconds=(0.0, 0.015)) == pytest.approx(0.02, rel=0.1)
    # It ends when the worker has nothing left to do.
    assert seconds(handover_seconds=(0.0, 0.05)) == pytest.approx(0.02, rel=0.1)
    late = seconds(handover_seconds=(0.0, 0.05), consumer_phases=((TIME, 0.1),))
    assert late == pytest.approx(0.1, rel=0.1)


def test_waiting_is_what_the_consumer_waits() -> None:
    scene = SimulationInput(
        tasks=[(0.0, 0.02)],
        workers=1,
        prefetch=2,
        receive_seconds=1e-6,
        consumer_phases=((TIME, 0.005),),
        cores=2.0,
    )
    assert simulate(scene).wait_seconds == pytest.approx(0.015, rel=0.02)
    alone = SimulationInput(tasks=[(0.01, 0.02)], workers=0, prefetch=2)
    assert simulate(alone).wait_seconds == pytest.approx(0.03)


def test_costs_nothing_and_still_ends() -> None:
    assert seconds(tasks=[(0.0, 0.0)], workers=64, prefetch=8) < 1e-3
    assert seconds(tasks=[(0.0, 0.0)], workers=3, in_order=False) < 1e-3


def test_workers_with_the_same_rhythm_do_not_keep_step() -> None:
    """Two that pause at the same time, or in turn: neither for ever."""
    tasks = [(0.0, 0.012)] * 3 + [(0.1, 0.012)]
    mean = 0.012 + 0.1 / 4
    found = [seconds(tasks=tasks, workers=2, prefetch=n, cores=2.0) for n in (2, 8)]
    assert found[0] == pytest.approx(mean / 2, rel=0.25)
    assert found[1] <= found[0] * 1.03


def test_an_epoch_of_few_batches_is_filled_and_runs_empty() -> None:
    scene = SimulationInput(
        tasks=[(0.02, 0.0)], workers=4, prefetch=2, cores=4.0, receive_seconds=1e-4
    )
    four, five = simulate_epoch(scene, 4), simulate_epoch(scene, 5)
    assert four.first_batch_seconds == pytest.approx(0.02, rel=0.05)
    assert four.seconds == pytest.approx(0.02, rel=0.05)
    assert five.seconds == pytest.approx(0.04, rel=0.05)
    assert simulate_epoch(scene, 400).seconds == pytest.approx(400 * 0.005, rel=0.05)


def test_a_worker_that_comes_late_delivers_late() -> None:
    scene = SimulationInput(
        tasks=[(0.02, 0.0)], workers=2, prefetch=2, cores=4.0, receive_seconds=1e-4
    )
    found = simulate_epoch(scene, 2, [0.0, 0.3])
    assert found.first_batch_seconds == pytest.approx(0.02, rel=0.05)
    assert found.seconds == pytest.approx(0.32, rel=0.05)
