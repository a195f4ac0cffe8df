"""Targets in processes of their own: what they give, how they fail, what is left."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipedoctor.cli.tune import command as tune
from pipedoctor.cli.whatif import command as whatif
from pipedoctor.facts import Setting
from pipedoctor.tune.search.session import TargetLostError, TargetSession
from pipedoctor.tune.search.tuning import TuningRequest, open_search
from pipedoctor.tune.target.leftover_files import LeftoverFiles
from pipedoctor.tune.target.messages import TrialFailed, TrialMeasured, TrialRequest
from tests.tune.conftest import skip_if_too_busy

HERE = Path(__file__).parents[1] / "workloads"
BROKEN = HERE / "broken.py"
LABELLED = HERE / "labelled.py"
JSON = ("--format", "json")

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def run(target: str, *more: str, command: Any = tune) -> tuple[int, str, str]:
    done = CliRunner().invoke(command, [target, "--budget", "20", *more])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


UNREADABLE = {
    "garbage": "garbage: returned an int: expected a torch Dataset or DataLoader",
    "exits": "exits: calling the target called sys.exit(7)",
}


@pytest.mark.extended
@pytest.mark.parametrize(("name", "said"), UNREADABLE.items())
@pytest.mark.slow
@pytest.mark.torch
def test_a_target_that_cannot_be_used(name: str, said: str) -> None:
    code, shown, error = run(f"{BROKEN}:{name}")
    assert (code, shown) == (2, "")
    assert said in error


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_batches_that_would_never_be_full_are_not_imagined() -> None:
    code, shown, error = run(
        f"{BROKEN}:all_left_out",
        *("--batch-size", "2", "--batch", "4", "--max-workers", "0"),
        command=whatif,
    )

    assert (code, shown) == (2, "")
    assert error.splitlines()[-1].endswith(
        "with --batch 4 the loader yields no batch: drop_last=True, and 3 samples are"
        " fewer than batch_size=4"
    )


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.torch
def test_a_target_that_cannot_be_measured_decides_nothing() -> None:
    code, shown, error = run(f"{BROKEN}:item_raises", *JSON)
    skip_if_too_busy(code, error)
    assert code == 3
    assert "OSError: truncated image" in error
    assert json.loads(shown)["confidence"] == "possible"


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_memory_has_a_limit() -> None:
    with TargetSession(f"{BROKEN}:out_of_memory", max_memory=700 << 20) as session:
        session.wait_until_loaded(time.monotonic() + 30)
        with pytest.raises(TargetLostError, match=r"of memory, more than the 700\.0 MiB"):
            session.run_trial(question(0, seconds=10), time.monotonic() + 20)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_a_data_set_that_workers_share_counts_once() -> None:
    with TargetSession(f"{BROKEN}:in_memory", max_memory=1000 << 20) as session:
        session.wait_until_loaded(time.monotonic() + 30)
        answer = session.run_trial(question(4, seconds=1), time.monotonic() + 20)
    assert isinstance(answer, TrialMeasured)
    assert answer.batches > 0


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_why_nothing_comes_from_the_workers() -> None:
    with TargetSession(f"{BROKEN}:item_not_picklable") as session:
        session.wait_until_loaded(time.monotonic() + 30)
        answer = session.run_trial(question(1, patience=3), time.monotonic() + 20)
    assert isinstance(answer, TrialFailed)
    assert "cannot pickle 'generator' object" in answer.reason
    assert answer.hung


def question(
    workers: int, seconds: float = 0.2, patience: float = 20, context: str = ""
) -> TrialRequest:
    setting = Setting(num_workers=workers, prefetch_factor=2 if workers else None, batch_size=4)
    limit = max(2.0, seconds)
    return TrialRequest(
        setting=setting, seconds=seconds, limit=limit, patience=patience, context=context
    )


@pytest.mark.slow
@pytest.mark.torch
def test_tunes_a_loader_that_waits() -> None:
    arguments = ("--max-workers", "4", "--budget", "12")
    code, shown, error = run(f"{LABELLED}:io_latency", *arguments, *JSON)
    skip_if_too_busy(code, error)
    found = json.loads(shown)
    assert found["schema"] == "pipedoctor.tuning/1"
    assert found["bottleneck"] == "storage-latency"
    assert code == 0
    assert found["recommended"]["num_workers"] >= 2
    assert found["gain"] > 1.5
    assert found["recommended"]["batch_size"] == 16
    assert found["spent_seconds"] < 20
    assert found["trials"][0]["samples_per_second"] == pytest.approx(120, rel=0.3)
    worked = [t for t in found["trials"] if t["num_workers"]]
    assert worked[0]["shm_bytes"] == 4 * (16 * 3 * 32 * 32 * 4 + 4096)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_a_rank_is_measured_with_its_share_of_the_cpus() -> None:
    here = os.sched_getaffinity(0)
    order = TuningRequest(target=f"{LABELLED}:plain", ranks=len(here))
    with open_search(order) as (search, _):
        measured = search.runner.measure(search.make_setting(1), 0.2)
    assert measured.window.cpus == search.limits.cpus == search.build_pipeline().cpus == 1
    assert os.sched_getaffinity(0) == here


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_imagines_another_machine() -> None:
    code, shown, error = run(
        f"{LABELLED}:io_latency",
        *("--workers", "4", "--storage", "2x", "--budget", "12"),
        *JSON,
        command=whatif,
    )
    skip_if_too_busy(code, error)
    found = json.loads(shown)
    assert code == 0
    assert found["basis"] == "modelled"
    assert found["predicted"]["samples_per_second"] == pytest.approx(960, rel=0.4)


def test_a_torch_that_cannot_be_loaded_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('libcudart.so.12: no such')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code, shown, errors = run(f"{LABELLED}:plain")
    assert code == 2
    assert shown == ""
    [line] = [row for row in errors.splitlines() if "torch" in row]
    assert "cannot import torch: " in line
    assert "libcudart.so.12: no such; run pipedoctor with the Python used" in line


def test_a_target_that_is_not_there_is_refused_before_torch_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise OSError('imported')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code, _, errors = run("none.py:make")
    assert code == 2
    assert "none.py: no such file" in errors


@pytest.mark.extended
@pytest.mark.torch
def test_a_sampler_that_decides_the_size_leaves_none_to_ask_for() -> None:
    code, _, errors = run(f"{BROKEN}:own_batches", "--batch-size", "3")
    assert code == 2
    assert "own_batches: --batch-size: its batch_sampler determines the batch size" in errors
    code, _, errors = run(f"{BROKEN}:own_batches", "--batch", "3", command=whatif)
    assert code == 2
    assert "own_batches: --batch: its batch_sampler determines the batch size" in errors


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.extended
def test_no_semaphore_is_left_where_workers_are_not_forked() -> None:
    later = LeftoverFiles()
    with TargetSession(f"{BROKEN}:not_picklable") as session:
        session.wait_until_loaded(time.monotonic() + 60)
        asked = question(2, patience=40, context="spawn")
        answer = session.run_trial(asked, time.monotonic() + 60)
    assert isinstance(answer, TrialFailed)
    assert "pickle" in answer.reason
    assert later.remove_leftovers() == []


def test_options_that_contradict_each_other() -> None:
    assert run("x.py:y", "--step", "nothing")[0] == 2
    code, _, error = run("x.py:y", "--step", "a:b", "--step-seconds", "1")
    assert code == 2
    assert "cannot be combined" in error
    assert run("x.py:y", "--storage", "quick", command=whatif)[0] == 2
