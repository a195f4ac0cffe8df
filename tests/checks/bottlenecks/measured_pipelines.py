"""Measured pipelines, one for each bottleneck, and the judgement of them."""

from collections.abc import Mapping
from typing import Any

from pipedoctor.check import Check, Finding
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Contents, Facts, Pipeline, Shares
from tests.tune.seen import costs, pipeline, setting, trial, window

CATALOGUE = get_catalogue()
WAITING_COSTS = {"fetch_wall": 0.13, "fetch_cpu": 0.002, "fetch_process": 0.002}
IDLE_WINDOW = window(own=0.1)
LARGE = Contents(bytes=50 << 20, shared_bytes=50 << 20, objects=1)
FLOATS = Contents(bytes=50 << 20, shared_bytes=50 << 20, objects=1, float_bytes=50 << 20)
BYTE_COSTS = (
    trial(0, 0.01, costs=costs(fetch_wall=0.001, collate_cpu=0.01)),
    trial(1, 0.04, costs=costs(fetch_wall=0.001, collate_cpu=0.04)),
)


def make_waiting(*, grown: float = 1.0) -> Pipeline:
    many = costs(**{**WAITING_COSTS, "fetch_wall": 0.13 * grown})
    return pipeline(
        trial(1, 0.13, costs=costs(**WAITING_COSTS), window=IDLE_WINDOW),
        trial(2, 0.065 * grown, costs=many, window=IDLE_WINDOW),
        start=setting(1),
    )


def make_stepping(computing: float) -> Pipeline:
    step = {"step_seconds": 0.1, "step_cpu": computing}
    return pipeline(trial(0, 0.12, **step), trial(1, 0.1, wait_seconds=0.001, **step))


MEASURED: dict[str, Pipeline] = {
    "storage-latency": make_waiting(),
    "storage-bandwidth": make_waiting(grown=2.0),
    "decode-cpu": pipeline(trial(0, 0.02), cpu=Shares(read=0.1, decode=0.6, transform=0.3)),
    "transform-cpu": pipeline(trial(0, 0.02), trial(1, 0.02)),
    "blas-threads": pipeline(trial(1, 0.02, costs=costs(fetch_process=0.04, process=0.04))),
    "ipc-objects": pipeline(
        trial(0, 0.001, costs=costs(fetch_wall=0.001)),
        trial(1, 0.03, costs=costs(fetch_wall=0.001, send_cpu=0.01, receive_cpu=0.02)),
        contents=Contents(bytes=1792, shared_bytes=458_752, objects=112),
    ),
    "ipc-bytes": pipeline(*BYTE_COSTS, contents=LARGE),
    "stragglers": pipeline(trial(1, 0.04), items=((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3),
    "main-thread": make_stepping(0.09),
    "cpu-quota": pipeline(
        trial(1, 0.04, window=window(throttled_share=0.9)),
        start=setting(1),
        cpus=0.5,
        cpus_bound="cgroup quota",
    ),
    "allocator-faults": pipeline(trial(1, 0.02, costs=costs(fetch_faults=20_000.0))),
    "worker-startup": pipeline(trial(1, 0.02), samples=64, start=setting(1), startup_seconds=1.0),
    "consumer": make_stepping(0.01),
    "unknown": pipeline(trial(1, 0.02, costs=None)),
}


def find_bottleneck(name: str) -> Check[Any]:
    found = CATALOGUE.find_check(f"bottleneck-{name}")
    assert found is not None
    return found


def judge_bottleneck(name: str, *facts: Any) -> Finding:
    """The one finding of this check; it fails where it has none."""
    verdict = find_bottleneck(name).run(Facts(*facts))
    assert not verdict.skipped, verdict.skipped
    (finding,) = verdict.findings
    return finding


def round_figures(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence with its figures to four digits."""
    return {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in evidence.items()}
