"""PDR901 to PDR914: exactly one of them speaks of what was measured, with figures."""

from typing import Any

import pytest
from msgspec.structs import replace

from pipedoctor.bottleneck import NAMES
from pipedoctor.catalogue import installed
from pipedoctor.check import Check, Confidence, Counterfactual, Finding, Severity
from pipedoctor.facts import (
    BenchDecode,
    Contents,
    Cpu,
    DataSet,
    DataSets,
    Facts,
    Host,
    Memory,
    Pipeline,
    Sample,
    Shares,
    Site,
    TorchBuild,
)
from pipedoctor.facts.bench_decode import Images
from pipedoctor.measured import joined
from pipedoctor.redact import Level, Redactor
from tests.tune.seen import costs, pipeline, setting, trial, window

CATALOGUE = installed()
WAITS = {"fetch_wall": 0.13, "fetch_cpu": 0.002, "fetch_process": 0.002}
FREE = window(own=0.1)
LARGE = Contents(bytes=50 << 20, shared_bytes=50 << 20, objects=1)
FLOATS = Contents(
    bytes=50 << 20, shared_bytes=50 << 20, objects=1, float_bytes=50 << 20
)
BYTE_COSTS = (
    trial(0, 0.01, costs=costs(fetch_wall=0.001, collate_cpu=0.01)),
    trial(1, 0.04, costs=costs(fetch_wall=0.001, collate_cpu=0.04)),
)


def waiting(*, grown: float = 1.0) -> Pipeline:
    many = costs(**{**WAITS, "fetch_wall": 0.13 * grown})
    return pipeline(
        trial(1, 0.13, costs=costs(**WAITS), window=FREE),
        trial(2, 0.065 * grown, costs=many, window=FREE),
        start=setting(1),
    )


def stepping(computing: float) -> Pipeline:
    step = {"step_seconds": 0.1, "step_cpu": computing}
    return pipeline(trial(0, 0.12, **step), trial(1, 0.1, wait_seconds=0.001, **step))


SEEN: dict[str, Pipeline] = {
    "storage-latency": waiting(),
    "storage-bandwidth": waiting(grown=2.0),
    "decode-cpu": pipeline(
        trial(0, 0.02), cpu=Shares(read=0.1, decode=0.6, transform=0.3)
    ),
    "transform-cpu": pipeline(trial(0, 0.02), trial(1, 0.02)),
    "blas-threads": pipeline(
        trial(1, 0.02, costs=costs(fetch_process=0.04, process=0.04))
    ),
    "ipc-objects": pipeline(
        trial(0, 0.001, costs=costs(fetch_wall=0.001)),
        trial(1, 0.03, costs=costs(fetch_wall=0.001, send_cpu=0.01, receive_cpu=0.02)),
        contents=Contents(bytes=1792, shared_bytes=458_752, objects=112),
    ),
    "ipc-bytes": pipeline(*BYTE_COSTS, contents=LARGE),
    "stragglers": pipeline(
        trial(1, 0.04), items=((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3
    ),
    "main-thread": stepping(0.09),
    "cpu-quota": pipeline(
        trial(1, 0.04, window=window(throttled_share=0.9)),
        start=setting(1),
        cpus=0.5,
        cpus_bound="cgroup quota",
    ),
    "allocator-faults": pipeline(trial(1, 0.02, costs=costs(fetch_faults=20_000.0))),
    "worker-startup": pipeline(
        trial(1, 0.02), samples=64, start=setting(1), startup_seconds=1.0
    ),
    "consumer": stepping(0.01),
    "unknown": pipeline(trial(1, 0.02, costs=None)),
}


def of(name: str) -> Check[Any]:
    found = CATALOGUE.find(f"bottleneck-{name}")
    assert found is not None
    return found


def judged(name: str, *facts: Any) -> Finding:
    verdict = of(name).run(Facts(*facts))
    assert not verdict.skipped, verdict.skipped
    (finding,) = verdict.findings
    return finding


def snippets(finding: Finding) -> list[str]:
    return [
        remedy.shell or remedy.snippet or remedy.title for remedy in finding.remedies
    ]


@pytest.mark.parametrize("name", NAMES)
def test_silent_where_another_is_the_bottleneck(name: str) -> None:
    for other in set(NAMES) - {name}:
        assert of(name).run(Facts(SEEN[other])).findings == (), other


@pytest.mark.parametrize("number", range(14))
def test_codes_stand_in_the_order_of_the_causes(number: int) -> None:
    assert of(NAMES[number]).code == f"PDR{901 + number}"


SHARES = {
    "storage-latency": (0.128 / 16, 0.985, "the time to fetch a batch"),
    "storage-bandwidth": (0.128 / 16, 0.985, "the time to fetch a batch"),
    "decode-cpu": (0.6 * 0.02 / 16, 0.6, "the CPU time of a batch"),
    "transform-cpu": (0.9 * 0.02 / 16, 0.9, "the CPU time of a batch"),
    "blas-threads": (0.02 / 16, 0.5, "the CPU time of a worker"),
    "ipc-objects": (0.03 / 16, 0.968, "a batch from its samples to the consumer"),
    "ipc-bytes": (0.03 / 16, 0.732, "a batch from its samples to the consumer"),
    "stragglers": (0.18 / 100, 0.65, "the time to fetch a batch"),
    "main-thread": (0.09 / 16, 0.75, "a step"),
    "cpu-quota": (0.9 * 0.04 / 16, 0.9, "the periods of the quota"),
    "allocator-faults": (0.5 * 0.02 / 16, 0.5, "the CPU time to fetch"),
    "worker-startup": (0.98 / 64, 0.925, "an epoch"),
    "consumer": (0.1 / 16, 0.833, "a step"),
}


@pytest.mark.parametrize("name", SHARES)
def test_says_seconds_for_each_sample_and_their_share(name: str) -> None:
    finding = judged(name, SEEN[name])
    seconds, share, of_what = SHARES[name]

    assert finding.evidence["target"] == "data.py:make"
    assert finding.evidence["seconds_per_sample"] == pytest.approx(seconds, rel=0.01)
    assert finding.evidence["share"] == pytest.approx(share, abs=0.002)
    assert finding.evidence["share_of"] == of_what
    assert finding.confidence is Confidence.LIKELY


@pytest.mark.parametrize("name", NAMES)
def test_only_what_needs_no_cure_is_a_note(name: str) -> None:
    mild = name in {"consumer", "unknown"}
    finding = judged(name, SEEN[name])

    assert finding.severity is (Severity.NOTE if mild else Severity.SLOWS)
    assert finding.summary.startswith("bottleneck of data.py:make: ")
    assert bool(finding.remedies) is (name != "consumer")


@pytest.mark.parametrize("name", NAMES)
def test_a_record_gives_the_same_verdict(name: str) -> None:
    facts = Facts(SEEN[name])
    again = Facts.from_record(facts.to_record())

    assert of(name).run(again) == of(name).run(facts)


def test_the_sentence_is_that_of_the_classification() -> None:
    assert judged("storage-latency", SEEN["storage-latency"]).summary == (
        "bottleneck of data.py:make: a batch waits 128 ms for its data and computes"
        " 2.0 ms: more workers wait at the same time"
    )


def test_unknown_claims_nothing() -> None:
    finding = judged("unknown", SEEN["unknown"])

    assert finding.confidence is Confidence.POSSIBLE
    assert "share" not in finding.evidence
    assert snippets(finding) == ["pipedoctor bench loader data.py:make"]


def test_a_disturbed_measurement_is_only_possible() -> None:
    noisy = window(own=1.0, foreign=0.8)
    finding = judged("transform-cpu", pipeline(trial(0, 0.02, window=noisy)))

    assert finding.confidence is Confidence.POSSIBLE
    assert finding.evidence["disturbed"] == "foreign CPU 0.8 cores"


@pytest.mark.parametrize("name", NAMES)
def test_unknown_is_not_health(name: str) -> None:
    nothing = of(name).run(Facts(pipeline()))
    missing = of(name).run(Facts(unknown={"pipeline": "data.py:make: OSError: gone"}))

    assert nothing.skipped == "no batch of data.py:make was measured"
    if name != "allocator-faults":
        assert missing.skipped == "pipeline: data.py:make: OSError: gone"
    else:
        assert missing.skipped == ("neither `bench decode` nor a pipeline was measured")


HERE = Cpu(logical=8, model="Acme 9")
ELSEWHERE = "it was measured on another machine: Other 1, 4 CPUs"


@pytest.mark.parametrize("name", NAMES)
def test_another_machine_says_nothing_of_this_one(name: str) -> None:
    there = Host(model="Other 1", cpus=4, effective=4)
    away = of(name).run(joined(Facts(HERE), [replace(SEEN[name], host=there)]))

    assert away.findings == ()
    assert away.skipped.removeprefix("pipeline: ") == ELSEWHERE
    same = Host(model="Acme 9", cpus=8, effective=2)
    assert of(name).run(joined(Facts(HERE), [replace(SEEN[name], host=same)])).findings


# --- remedies: right for this cause

FASTER = "DataLoader(..., num_workers=8, prefetch_factor=2)"


@pytest.mark.parametrize(
    "name",
    [
        "storage-latency",
        "storage-bandwidth",
        "decode-cpu",
        "transform-cpu",
        "ipc-objects",
        "ipc-bytes",
        "unknown",
    ],
)
def test_the_faster_setting_is_there_to_paste(name: str) -> None:
    seen = SEEN[name]
    better = pipeline(
        *seen.trials,
        cpu=seen.cpu,
        contents=seen.contents,
        start=setting(0),
        best=setting(8),
    )
    same = pipeline(*seen.trials, cpu=seen.cpu, contents=seen.contents, best=setting(0))

    assert FASTER in snippets(judged(name, better))
    assert FASTER not in snippets(judged(name, same))


def test_packing_is_priced_where_no_setting_is_faster() -> None:
    seen = SEEN["ipc-objects"]
    better = pipeline(*seen.trials, contents=seen.contents, best=setting(8))

    packed = judged("ipc-objects", seen).counterfactual
    assert packed == Counterfactual(packed=True)
    assert judged("ipc-objects", better).counterfactual == Counterfactual(tuned=True)


def test_more_workers_are_no_remedy_for_bandwidth() -> None:
    finding = judged("storage-bandwidth", SEEN["storage-bandwidth"])

    assert not any("num_workers" in text for text in snippets(finding))
    assert finding.counterfactual == Counterfactual(storage=2.0)


@pytest.mark.parametrize(
    ("room", "first", "gain"),
    [
        (2 << 30, "It fits in memory", None),
        ((2 << 30) - 2, "Copy the data", Counterfactual(storage=2.0)),
    ],
)
def test_only_the_first_epoch_waits_for_what_fits_in_memory(
    room: int, first: str, gain: Counterfactual | None
) -> None:
    sample = Sample(files=9, bytes=1 << 30, complete=True, seconds=0.1)
    data = DataSets(entries=(DataSet(path="/data", sample=sample),))
    memory = Memory(total=room, available=room)
    seen = SEEN["storage-bandwidth"]

    finding = judged("storage-bandwidth", seen, data, memory)

    assert finding.remedies[0].title.startswith(first)
    assert finding.counterfactual == gain
    none = judged("storage-bandwidth", seen, DataSets(), memory)
    assert none.counterfactual == Counterfactual(storage=2.0)


def test_bytes_instead_of_floats_only_where_there_are_floats() -> None:
    floats = judged("ipc-bytes", pipeline(*BYTE_COSTS, contents=FLOATS))
    others = judged("ipc-bytes", SEEN["ipc-bytes"])

    assert "float().div_(255)" in snippets(floats)[0]
    assert floats.counterfactual == Counterfactual(uint8=True)
    assert not any("float()" in text for text in snippets(others))
    assert others.counterfactual == Counterfactual(tuned=True)


def test_threads_are_limited_where_the_job_is_launched() -> None:
    finding = judged("blas-threads", SEEN["blas-threads"], Site(system="linux"))

    assert snippets(finding)[1] == (
        "export OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1"
    )
    assert finding.counterfactual == Counterfactual(one_thread=True, blas=True)


@pytest.mark.parametrize(("version", "loose"), [("2.5.1", False), ("2.6.0", True)])
def test_in_order_needs_torch_2_6(version: str, loose: bool) -> None:
    finding = judged("stragglers", SEEN["stragglers"], TorchBuild(version=version))

    said = any("in_order=False" in text for text in snippets(finding))
    assert said is loose
    assert (finding.counterfactual is not None) is loose


def test_stragglers_keep_the_workers_that_were_best() -> None:
    seen = SEEN["stragglers"]
    best = pipeline(*seen.trials, items=seen.items, best=setting(6))

    assert snippets(judged("stragglers", best))[0] == (
        "DataLoader(..., num_workers=6, in_order=False)"
    )
    assert snippets(judged("stragglers", seen))[1] == (
        "DataLoader(..., num_workers=2, prefetch_factor=8)"
    )


@pytest.mark.parametrize(
    ("cpu", "cores"), [(None, 2.0), (Cpu(logical=8), 8.0), (Cpu(logical=1), 2.0)]
)
def test_a_quota_is_lifted_to_what_the_process_sees(
    cpu: Cpu | None, cores: float
) -> None:
    facts = [SEEN["cpu-quota"], *([cpu] if cpu else [])]
    finding = judged("cpu-quota", *facts)

    assert f"docker run --cpus={cores:.0f}" in snippets(finding)
    assert finding.counterfactual == Counterfactual(cores=cores)


def test_starting_is_cured_by_keeping() -> None:
    finding = judged("worker-startup", SEEN["worker-startup"])

    assert snippets(finding)[0] == (
        "DataLoader(..., persistent_workers=num_workers > 0)"
    )
    assert finding.counterfactual == Counterfactual(persistent=True)


def test_memory_is_kept_by_what_was_measured_else_by_the_c_library() -> None:
    finding = judged("allocator-faults", SEEN["allocator-faults"], Site(system="linux"))

    (line,) = snippets(finding)
    assert line == (
        "export PILLOW_BLOCKS_MAX=64 MALLOC_MMAP_THRESHOLD_=33554432"
        " MALLOC_TRIM_THRESHOLD_=1073741824"
    )
    assert finding.counterfactual == Counterfactual(faultless=True)


def test_faults_of_a_pipeline_do_not_need_the_images() -> None:
    """What `bench decode` lacks is not asked of it where the loader was measured."""
    nothing = BenchDecode(
        host=Host(model="A", cpus=1, effective=1, created=""),
        images=Images(count=0, bytes=0),
    )
    finding = judged("allocator-faults", SEEN["allocator-faults"], nothing)

    assert finding.evidence["faults"] == 20_000.0


def test_the_target_is_redacted() -> None:
    home = pipeline(trial(1, 0.02), target="/home/jane/train.py:make")
    facts = Redactor(Level.ALL).facts(Facts(home))

    assert "jane" not in str(of("transform-cpu").run(facts))


def test_collating_that_takes_longer_than_its_samples_is_the_cost() -> None:
    heavy = costs(fetch_wall=0.01, fetch_cpu=0.01, collate_cpu=0.03, process=0.04)
    found = judged("transform-cpu", pipeline(trial(0, 0.04, costs=heavy)))
    assert found.evidence["share"] == pytest.approx(0.75)


@pytest.mark.parametrize("name", ["decode-cpu", "transform-cpu"])
def test_the_garbage_collector_is_told_what_to_skip(name: str) -> None:
    seen = SEEN[name]
    collecting = tuple(
        replace(t, costs=costs(collector=0.012)) for t in seen.trials if t.costs
    )
    found = judged(name, replace(seen, trials=collecting))
    assert found.evidence["collector_share"] == pytest.approx(0.6)
    assert "gc.freeze()" in snippets(found)[0]
    assert found.counterfactual == Counterfactual(uncollected=True)
    assert not any("gc.freeze" in line for line in snippets(judged(name, seen)))
