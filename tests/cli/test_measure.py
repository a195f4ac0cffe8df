"""`check --measure`, `fix --code --measure`: what users type, and what comes back."""

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.check import command as check
from pipedoctor.cli.fix import command as fix
from pipedoctor.facts import Shares, Window
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.tune.compare import paired
from tests.tune.seen import costs, pipeline, setting, trial, window

CODE = """\
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        with open(__file__, "rb") as file:
            file.read()
        time.sleep(0.004)
        return torch.zeros(8), index


def make():
    loader = DataLoader(Slow(), batch_size=8)
    return loader


def raising():
    raise OSError("no images here")


class Broken(Slow):
    def __getitem__(self, index):
        raise ValueError("a damaged sample")


def broken():
    return DataLoader(Broken(), batch_size=8)
"""
HARMED = """\
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Memory(Dataset):
    def __init__(self):
        self.rows = torch.zeros(4000, 8)

    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.02)
        return self.rows[index]


def make():
    loader = DataLoader(Memory(), batch_size=2, num_workers=2)
    return loader
"""
"""Rows in memory, but not cheap: without workers it waits."""
LABELLED = Path(__file__).parents[1] / "tune" / "workloads" / "labelled.py"
QUICK = ("--quick", "--no-config", "--format", "json")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "train.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: Any, *args: str) -> Result:
    done = CliRunner().invoke(command, args)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.mark.parametrize(
    ("command", "args", "said"),
    [
        (check, ("--budget", "3"), "--budget requires --measure TARGET"),
        (check, ("--step", "a:b"), "--step requires --measure TARGET"),
        (check, ("--measure", "a.py:b", "--from", "x"), "--from judges a saved report"),
        (check, ("--measure", "no.py:make"), "--measure no.py:make: "),
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
        (fix, ("--code", ".", "--measure", "no.py:make"), "--measure no.py:make: "),
        (fix, ("bottleneck-consumer",), "bottleneck-consumer: requires a running loader"),
        (fix, ("PDR911", "--yes"), "bottleneck-allocator-faults: requires a running loader"),
        (
            fix,
            ("bottleneck-unknown", "--measure", "no.py:make"),
            "--measure no.py:make: ",
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


BUSY = ("too much for", "fit into the budget", "no answer within", "exceeded the time budget")
"""What is said where others leave no time for measuring."""


def _skip_if_busy(unknown: str) -> None:
    if any(word in unknown for word in BUSY):
        pytest.skip(f"this machine is too busy: {unknown}")
    assert unknown == ""


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


PROVE = ("--unsafe", "--yes", "--prove", "--budget", "30", "--code", "train.py")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else: what is measured here is 20 times what others could decide."""
    monkeypatch.setattr(paired, "MAX_PAIRS", MIN_WINDOWS)
    monkeypatch.setattr(Window, "disturbance", "")
    monkeypatch.setattr(Window, "rejection_reason", "")


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.usefixtures("alone")
def test_an_edit_that_helps_is_proved_and_stays(project: Path) -> None:
    slower = CODE.replace("sleep(0.004)", "sleep(0.05)").replace("=8)", "=2)")
    (project / "train.py").write_text(slower)

    done = run(fix, *PROVE, "--select", "num-workers-zero", "--measure", "train.py:make")
    edited = (project / "train.py").read_text()

    assert done.exit_code == 0, done.output
    assert "num_workers=" in edited
    assert "predicted: Saves" in done.stdout
    assert "measured: Saves" in done.stdout
    assert "done and proved" in done.stdout


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.usefixtures("alone")
@pytest.mark.extended
def test_an_edit_that_does_not_help_is_taken_back(project: Path) -> None:
    (project / "train.py").write_text(HARMED)

    done = run(fix, *PROVE, "--select", "in-memory-with-workers", "--measure", "train.py:make")

    assert done.exit_code == 1, done.output
    assert "it shows no gain: " in done.stderr
    assert "it was rolled back" in done.stderr
    assert (project / "train.py").read_text() == HARMED


def test_a_busy_machine_proves_nothing_and_nothing_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    class Busy:
        undecided_reason = "other processes used 1.0 of 2 CPUs, too much for a reliable measurement"

    class Before:
        tuning = Busy()

    def proving(_: object) -> nullcontext[Before]:
        return nullcontext(Before())

    monkeypatch.setattr(paired, "probe_baseline", proving)

    done = run(fix, *PROVE, "--measure", "train.py:make")

    assert done.exit_code == 1
    assert done.stderr == snapshot
    assert (project / "train.py").read_text() == CODE


def measured(monkeypatch: pytest.MonkeyPatch, foreign: float = 0.0) -> None:
    """A loader that waits for its storage, while others have so many CPUs."""
    waits = costs(fetch_wall=0.13, fetch_cpu=0.002, fetch_process=0.002)
    shares = Shares(read=0.8, decode=0.1, transform=0.1)
    trials = [
        trial(workers, each, costs=waits, window=window(own=0.1, foreign=foreign))
        for workers, each in ((0, 0.132), (1, 0.132), (2, 0.066))
    ]
    seen = pipeline(*trials, best=setting(2), wall=shares, cpu=shares)
    busy = trials[0].window.rejection_reason
    found = SimpleNamespace(
        pipeline=seen, undecided_reason=busy, failure="", excluding_limits={}, made_at=None
    )

    def proving(_: object) -> nullcontext[SimpleNamespace]:
        return nullcontext(SimpleNamespace(tuning=found))

    monkeypatch.setattr(paired, "probe_baseline", proving)


NAMED = ("bottleneck-storage-latency", "--yes", "--measure", "train.py:make")


def test_a_bottleneck_is_measured_before_it_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured(monkeypatch)

    done = run(fix, *NAMED, "bottleneck-stragglers")

    assert done.exit_code == 1
    assert "nothing to do: bottleneck-stragglers is healthy\n" in done.stdout
    assert done.stderr.startswith(
        "refused: bottleneck-storage-latency: bottleneck of data.py:make: a batch waits"
    )
    assert "it has no remedy" in done.stderr
    assert "DataLoader(..., num_workers=2, prefetch_factor=2)" in done.stdout


def test_a_bottleneck_that_others_hide_cannot_be_judged(
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    measured(monkeypatch, foreign=1.9)

    done = run(fix, *NAMED)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == snapshot
