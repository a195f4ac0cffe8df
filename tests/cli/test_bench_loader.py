"""`pipedoctor bench loader`: how it ends, what it writes, and how it is judged."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.bench.host import read_host
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import (
    BenchLoader,
    Contents,
    Costs,
    OneThread,
    Pipeline,
    Setting,
    Spread,
    Trial,
    Window,
)
from pipedoctor.tune.compare import stages
from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError
from pipedoctor.tune.search.tuning import TuningRequest
from tests.cli.conftest import Run

TRIAL = Trial(
    setting=Setting(num_workers=0, batch_size=8),
    samples_per_second=100.0,
    batch_seconds=0.08,
    costs=Costs(fetch_wall=0.08, fetch_cpu=0.07, fetch_process=0.07),
    window=Window(seconds=1.0, cpus=2.0, own=1.0, foreign=0.0),
)
LOADER = Pipeline(
    target="train.py:make",
    start=Setting(num_workers=0, batch_size=8),
    contents=Contents(bytes=4096, shared_bytes=4096, objects=2),
    cpus=2.0,
    trials=(TRIAL,),
)


@pytest.mark.parametrize(
    ("found", "code", "said"),
    [
        (stages.StageMeasurement(pipeline=LOADER), 0, ""),
        (stages.StageMeasurement(pipeline=LOADER, interrupted=True), 130, ""),
        (
            stages.StageMeasurement(pipeline=replace(LOADER, trials=()), failure="it fails"),
            3,
            "pipedoctor bench loader: could not measure: it fails\n",
        ),
        (TargetRefusedError("no such file"), 2, "no such file"),
        (
            TargetLostError("it hangs"),
            3,
            "pipedoctor bench loader: could not measure: a.py:make: it hangs\n",
        ),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_how_a_loader_ends(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    found: stages.StageMeasurement | BaseException,
    code: int,
    said: str,
) -> None:
    asked: list[TuningRequest] = []

    def measure(order: TuningRequest) -> stages.StageMeasurement:
        asked.append(order)
        if isinstance(found, stages.StageMeasurement):
            return found
        raise found

    monkeypatch.setattr(stages, "measure_stages", measure)

    done = run("bench", "loader", "a.py:make", "--batch-size", "4", "--budget", "9")

    assert done.exit_code == code
    assert said in done.stderr
    assert ("One batch of train.py:make" in done.stdout) == (
        code in {0, 130, 3} and (isinstance(found, stages.StageMeasurement))
    )
    assert (asked[0].batch_size, asked[0].budget, asked[0].step) == (4, 9.0, "")


def test_a_loader_is_written_and_judged(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    ratio = Spread(value=2.0, low=1.9, high=2.1, windows=5)
    threads = OneThread(
        variables=("OPENBLAS_NUM_THREADS",),
        before=ratio,
        after=ratio,
        ratio=ratio,
        cpu_before=0.1,
        cpu_after=0.05,
    )
    beside = BenchLoader(
        host=read_host(Machine()),
        target="train.py:make",
        num_workers=1,
        threads=threads,
    )

    def measure(_order: TuningRequest) -> stages.StageMeasurement:
        return stages.StageMeasurement(pipeline=LOADER, bench_loader=beside)

    monkeypatch.setattr(stages, "measure_stages", measure)
    out = str(tmp_path / "loader.json")

    done = run("bench", "loader", "a.py:make", "--format", "json", "-o", out)

    assert done.exit_code == 0, done.stderr
    judged = run(
        *("check", "--measured", out, "--quick", "--select", "PDR723"),
        *("--format", "json", "--fail-on", "never"),
    )
    assert judged.exit_code == 0, judged.stderr
    (finding,) = json.loads(judged.stdout)["findings"]
    assert finding["summary"] == snapshot
    assert finding["gain"]["value"] == 0.5
    attached = run(
        *("report", "--measured", out, "--quick", "--select", "PDR723"),
        *("-o", str(tmp_path / "report.json"), "--no-keep"),
    )
    assert attached.exit_code == 0, attached.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert "bench_loader" in report["facts"]["known"]
    assert [one["code"] for one in report["findings"]] == ["PDR723"]
