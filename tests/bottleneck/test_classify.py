"""One cause for each set of figures, and none where the figures do not say."""

from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.bottleneck.classify import classify_bottleneck
from pipedoctor.bottleneck.named_bottleneck import BOTTLENECK_NAMES
from pipedoctor.facts import Contents, Pipeline, Shares
from tests.tune.seen import costs, pipeline, setting, trial, window

WAITS = {"fetch_wall": 0.13, "fetch_cpu": 0.002, "fetch_process": 0.002}
FREE = window(own=0.1)


def with_costs(**values: Any) -> Pipeline:
    found = costs(**values)
    return pipeline(
        trial(0, found.fetch_wall, costs=found, window=FREE),
        trial(1, found.fetch_wall, costs=found, window=FREE),
    )


DECODES = Shares(read=0.1, decode=0.6, transform=0.3)
CASES: dict[str, tuple[Pipeline, str]] = {
    "nothing was measured": (pipeline(), "unknown"),
    "computing is transforming": (with_costs(), "transform-cpu"),
    "or decoding": (
        pipeline(trial(0, 0.02), trial(1, 0.02), cpu=DECODES),
        "decode-cpu",
    ),
    "without a trace it is not called decoding": (
        pipeline(trial(1, 0.02), cpu=None),
        "transform-cpu",
    ),
    "waiting is latency": (with_costs(**WAITS), "storage-latency"),
    "waiting for a processor is not": (
        with_costs(**{**WAITS, "fetch_delay": 0.127}),
        "transform-cpu",
    ),
    "others that take the processors do not hide it": (
        with_costs(**{**WAITS, "fetch_wall": 0.3, "fetch_delay": 0.17}),
        "storage-latency",
    ),
    "waiting that grows with the workers is bandwidth": (
        pipeline(
            trial(1, 0.13, costs=costs(**WAITS), window=FREE),
            trial(2, 0.13, costs=costs(**{**WAITS, "fetch_wall": 0.26}), window=FREE),
        ),
        "storage-bandwidth",
    ),
    "unless the processors were busy": (
        pipeline(
            trial(1, 0.13, costs=costs(**WAITS), window=FREE),
            trial(
                2,
                0.13,
                costs=costs(**{**WAITS, "fetch_wall": 0.26}),
                window=window(own=1.8),
            ),
        ),
        "storage-latency",
    ),
    "threads of a library": (
        with_costs(fetch_process=0.04, process=0.04),
        "blas-threads",
    ),
    "threads without workers are torch's own": (
        pipeline(trial(0, 0.02, costs=costs(fetch_process=0.04)), trial(1, 0.02)),
        "transform-cpu",
    ),
    "page faults": (with_costs(fetch_faults=20_000.0), "allocator-faults"),
    "few page faults": (with_costs(fetch_faults=8_000.0), "transform-cpu"),
    "many tensors": (
        pipeline(
            trial(0, 0.001, costs=costs(fetch_wall=0.001)),
            trial(1, 0.03, costs=costs(fetch_wall=0.001, send_cpu=0.01, receive_cpu=0.02)),
            contents=Contents(bytes=1792, shared_bytes=458_752, objects=112),
        ),
        "ipc-objects",
    ),
    "many bytes": (
        pipeline(
            trial(0, 0.01, costs=costs(fetch_wall=0.001, collate_cpu=0.01)),
            trial(1, 0.04, costs=costs(fetch_wall=0.001, collate_cpu=0.04)),
            contents=Contents(bytes=50 << 20, shared_bytes=50 << 20, objects=1),
        ),
        "ipc-bytes",
    ),
    "few samples take most of the time": (
        pipeline(
            trial(1, 0.04),
            items=((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3,
        ),
        "stragglers",
    ),
    "a slow step": (
        pipeline(
            trial(0, 0.12, step_seconds=0.1),
            trial(1, 0.1, step_seconds=0.1, wait_seconds=0.001),
        ),
        "consumer",
    ),
    "a step that computes": (
        pipeline(
            trial(0, 0.12, step_seconds=0.1, step_cpu=0.09),
            trial(1, 0.1, step_seconds=0.1, step_cpu=0.09),
        ),
        "main-thread",
    ),
    "a step that waits for the GPU, which keeps its CPU busy": (
        pipeline(
            trial(0, 0.12, step_seconds=0.1, step_cpu=0.1, kernel_seconds=0.09),
            trial(1, 0.1, step_seconds=0.1, step_cpu=0.1),
        ),
        "consumer",
    ),
    "a step that launches small kernels": (
        pipeline(
            trial(0, 0.12, step_seconds=0.1, step_cpu=0.1, kernel_seconds=0.02),
            trial(1, 0.1, step_seconds=0.1, step_cpu=0.1),
        ),
        "main-thread",
    ),
    "a step that is faster than a worker": (
        pipeline(trial(0, 0.03, step_seconds=0.01), trial(1, 0.02, step_seconds=0.01)),
        "transform-cpu",
    ),
    "a loader that keeps up already": (
        pipeline(
            trial(1, 0.02, step_seconds=0.012),
            trial(2, 0.012, step_seconds=0.012, wait_seconds=0.0005),
            start=setting(2),
        ),
        "consumer",
    ),
    "a short epoch": (
        pipeline(trial(1, 0.02), samples=64, start=setting(1), startup_seconds=1.0),
        "worker-startup",
    ),
    "workers that stay are started once": (
        pipeline(
            trial(1, 0.02),
            samples=64,
            start=setting(1, persistent_workers=True),
            startup_seconds=1.0,
        ),
        "transform-cpu",
    ),
    "a quota that stops it": (
        pipeline(
            trial(1, 0.04, window=window(throttled_share=0.9)),
            cpus=0.5,
            cpus_bound="cgroup quota",
        ),
        "cpu-quota",
    ),
    "a quota that does not": (
        pipeline(
            trial(1, 0.04, window=window(throttled_share=0.1)),
            cpus=0.5,
            cpus_bound="cgroup quota",
        ),
        "transform-cpu",
    ),
}


@pytest.mark.parametrize(("seen", "name"), CASES.values(), ids=CASES)
def test_names_the_cause(seen: Pipeline, name: str) -> None:
    found = classify_bottleneck(seen)
    assert found.name == name
    assert found.name in BOTTLENECK_NAMES
    assert found.reason


def test_says_why_in_figures() -> None:
    found = classify_bottleneck(with_costs(**WAITS))
    assert found.reason == (
        "a batch waits 128 ms for its data and computes 2.0 ms: more workers would wait in parallel"
    )
    assert found.evidence["waiting_seconds"] == pytest.approx(0.128)


def test_more_workers_are_no_answer_where_they_were_slower() -> None:
    waits = costs(**WAITS)
    slower = pipeline(*(trial(n, 0.13 + 0.01 * n, costs=waits) for n in (0, 1, 2)))
    found = classify_bottleneck(slower)
    assert found.name == "storage-latency"
    assert found.reason.endswith("would wait in parallel, but transfer batches more slowly")


@pytest.mark.parametrize(("slowest", "named"), [(0.0011, True), (0.0009, False)])
def test_microseconds_are_no_stragglers(slowest: float, named: bool) -> None:
    items = ((1e-6, 1e-6),) * 97 + ((slowest, 1e-6),) * 3
    found = classify_bottleneck(pipeline(trial(1, 0.04), items=items))
    assert (found.name == "stragglers") is named


COLLECTING = {"fetch_wall": 0.044, "fetch_cpu": 0.043, "collector": 0.028}


def test_the_garbage_collector_is_no_straggler() -> None:
    items = ((0.001, 0.001),) * 98 + ((0.09, 0.09),) * 2
    found = classify_bottleneck(replace(with_costs(**COLLECTING), items=items))
    assert found.name == "transform-cpu"
    assert "65% of it is Python's garbage collector" in found.reason
    assert "gc.freeze() in worker_init_fn" in found.reason
    assert found.evidence["collector_share"] == pytest.approx(0.65, abs=0.01)
    without = replace(with_costs(fetch_wall=0.044, fetch_cpu=0.043), items=items)
    assert classify_bottleneck(without).name == "stragglers"
    assert "collector" not in classify_bottleneck(with_costs()).reason


def test_slow_samples_that_are_next_to_nothing_are_no_stragglers() -> None:
    items = ((1e-5, 1e-5),) * 96 + ((0.002, 0.002),) * 4
    few = {"fetch_wall": 0.002, "fetch_cpu": 0.002, "fetch_process": 0.002}
    heavy = with_costs(**few, collate_wall=0.05, collate_cpu=0.05, process=0.052)
    found = classify_bottleneck(replace(heavy, items=items))
    assert found.name == "transform-cpu"
    assert "collating a batch takes 50.0 ms" in found.reason
    assert classify_bottleneck(replace(with_costs(**few), items=items)).name == "stragglers"


def test_a_lock_shows_only_where_there_are_others() -> None:
    alone = trial(1, 0.02, window=window(own=1.0))
    held = costs(fetch_wall=0.08, fetch_cpu=0.02, fetch_process=0.02)
    many = trial(4, 0.02, costs=held, window=window(own=1.0))
    found = classify_bottleneck(pipeline(alone, many))
    assert found.name == "storage-bandwidth"
    assert found.evidence["waiting_share"] == pytest.approx(0.75)
    busy = replace(many, window=window(own=1.9))
    assert classify_bottleneck(pipeline(alone, busy)).name == "transform-cpu"


def test_faults_of_a_step_that_is_short_beside_another_are_not_the_cause() -> None:
    short = {"fetch_wall": 0.002, "fetch_cpu": 0.002, "fetch_process": 0.002}
    faulty = with_costs(**short, fetch_faults=3000.0)
    assert classify_bottleneck(faulty).name == "allocator-faults"
    long = with_costs(**short, fetch_faults=3000.0, collate_cpu=0.03, collate_wall=0.03)
    assert classify_bottleneck(long).name == "transform-cpu"
