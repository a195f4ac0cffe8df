"""`check --measure`, `fix --code --measure`: what users type, and what comes back."""

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.check import command as check
from pipedoctor.cli.fix import command as fix
from tests.cli.measure.conftest import CODE, LATE, run

LABELLED = Path(__file__).parents[2] / "tune" / "workloads" / "labelled.py"
QUICK = ("--quick", "--no-config", "--format", "json")


@pytest.mark.parametrize(
    ("command", "args", "said"),
    [
        (check, ("--budget", "3"), "--budget requires --measure TARGET"),
        (check, ("--step", "a:b"), "--step requires --measure TARGET"),
        (check, ("--measure", "a.py:b", "--from", "x"), "--from judges a saved report"),
        pytest.param(
            check,
            ("--measure", "no.py:make"),
            "--measure no.py:make: ",
            marks=pytest.mark.extended,
        ),
        pytest.param(
            check,
            ("--measure", "train.py:raising"),
            "OSError: no images here",
            marks=pytest.mark.torch,
        ),
        (fix, ("--code", ".", "--prove"), "--prove requires --measure TARGET"),
        (
            fix,
            ("--code", ".", "--dry-run", "--measure", "a:b"),
            "cannot be combined with --dry-run",
        ),
        (fix, ("--undo", "--measure", "a:b"), "--measure cannot be combined with"),
        (fix, ("--history", "--measure", "a:b"), "cannot be combined with --dry-run, --undo or"),
        pytest.param(
            fix,
            ("--code", ".", "--measure", "no.py:make"),
            "--measure no.py:make: ",
            marks=pytest.mark.extended,
        ),
        (fix, ("bottleneck-consumer",), "bottleneck-consumer: requires a running loader"),
        (fix, ("PDR911", "--yes"), "bottleneck-allocator-faults: requires a running loader"),
        pytest.param(
            fix,
            ("bottleneck-unknown", "--measure", "no.py:make"),
            "--measure no.py:make: ",
            marks=pytest.mark.extended,
        ),
    ],
)
def test_what_cannot_be_meant_or_read(command: Any, args: tuple[str, ...], said: str) -> None:
    done = run(command, *args)

    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_without_it_the_pipeline_is_unknown_and_says_why(snapshot: SnapshotAssertion) -> None:
    report = json.loads(run(check, *QUICK, "train.py").stdout)

    assert report["facts"]["unknown"]["pipeline"] == snapshot
    reasons = {skip["name"]: skip["reason"] for skip in report["skipped"]}
    assert reasons["bottleneck-consumer"] == "pipeline: no --measure TARGET given"


@pytest.mark.torch
def test_a_loader_that_fails_leaves_the_report_with_a_reason(snapshot: SnapshotAssertion) -> None:
    done = run(check, *QUICK, "train.py", "--measure", "train.py:broken")
    report = json.loads(done.stdout)

    assert done.exit_code == 3
    assert done.stderr == snapshot
    assert done.stderr.count("\n") == 1
    assert "ValueError: a damaged sample" in report["facts"]["unknown"]["pipeline"]
    assert any(f["name"] == "num-workers-zero" for f in report["findings"])


@pytest.mark.torch
@pytest.mark.extended
def test_a_loader_that_gives_no_batch_is_wrong_usage(project: Path) -> None:
    (project / "few.py").write_text(CODE.replace("=8)", "=4096, drop_last=True)"))

    done = run(check, *QUICK, "few.py", "--measure", "few.py:make")

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "Error: --measure few.py:make: the loader yields no batch: drop_last=True,"
        " and 4000 samples are fewer than batch_size=4096"
    )


BUSY = ("too much for", *LATE)
"""What is said where others leave no time for measuring."""


def _skip_if_busy(unknown: str) -> None:
    if any(word in unknown for word in BUSY):
        pytest.skip(f"this machine is too busy: {unknown}")
    assert unknown == ""


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.torch
def test_findings_are_ranked_by_what_they_save() -> None:
    done = run(check, *QUICK, "train.py", "--measure", "train.py:make", "--budget", "7")
    report = json.loads(done.stdout)
    unknown = report["facts"]["unknown"].get("pipeline", "")
    _skip_if_busy(unknown)
    seen = report["facts"]["known"]["pipeline"]

    assert seen["made_at"]["path"] == "train.py"
    assert seen["made_at"]["line"] == 19
    (code,) = [f for f in report["findings"] if f["name"] == "num-workers-zero"]
    gain = code["gain"]
    assert gain["unit"] == "fraction of epoch time"
    if seen["best"]["num_workers"]:
        assert gain["value"] > 0.3
        assert gain["low"] < gain["value"] < gain["high"]
    slows = [f for f in report["findings"] if f["severity"] == "slows"]
    saved = [f["gain"]["value"] for f in slows if f["gain"] and not f["cause"]]
    assert saved == sorted(saved, reverse=True)
    said = [f["name"] for f in report["findings"] if f["code"][:5] == "PDR90"]
    assert len(said) <= 1


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    ("workload", "cause"),
    [("io_latency_many", "storage-latency"), ("stragglers", "stragglers")],
)
def test_the_bottleneck_that_was_put_in_is_named(workload: str, cause: str) -> None:
    target = f"{LABELLED}:{workload}"
    done = run(check, *QUICK, "--select", "PDR90,PDR91", "--measure", target, "--budget", "8")
    report = json.loads(done.stdout)
    unknown = report["facts"]["unknown"].get("pipeline", "")
    _skip_if_busy(unknown)
    (finding,) = report["findings"]

    assert finding["name"] == f"bottleneck-{cause}"
    assert finding["evidence"]["seconds_per_sample"] > 0
    assert 0.3 < finding["evidence"]["share"] <= 1
    seen = report["facts"]["known"]["pipeline"]
    if all(one["setting"] != seen["start"] for one in seen["trials"]):
        pytest.skip("this machine is too busy: no window of the start counts")
    assert finding["gain"]["unit"] == "fraction of epoch time"
