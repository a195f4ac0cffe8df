"""`explain` and `run` size remedies for the job, and say what they assume of one."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipedoctor.cli.actions.run_explanation import explain_output, find_python, find_script
from pipedoctor.cli.request.job_request import JobRequest
from pipedoctor.facts import Facts, LiveJob, MainShares, Observation, Pipeline
from pipedoctor.facts.live import Trend
from pipedoctor.facts.pipeline import Contents, Setting

if TYPE_CHECKING:
    import subprocess

    from tests.cli.conftest import Run

Start = Callable[..., "subprocess.CompletedProcess[bytes]"]
BUS = "DataLoader worker (pid 9) is killed by signal: Bus error"
JOB = ("--workers", "8", "--batch-bytes", "19M")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/shm is Linux's")


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "job.log"
    path.write_text(f"RuntimeError: {BUS}\n")
    return str(path)


def test_what_is_assumed_of_an_unknown_job_is_said(run: "Run", log: str, tmp_path: Path) -> None:
    small = tmp_path / "small.json"
    facts = {"known": {"shm": {"size": 64 << 20, "remountable": True}}, "unknown": {}}
    small.write_text(
        json.dumps({"schema": "pipedoctor.report/1", "created": "2026", "facts": facts})
    )

    blind = run("explain", log, "--from", str(small))
    known = run("explain", log, "--from", str(small), *JOB)

    assert (
        "Assuming 4 workers with batches of 16.0 MiB; with yours: --workers N --batch-bytes SIZE."
        in blind.stdout
    )
    assert "Assuming" not in known.stdout
    assert "/dev/shm has 64.0 MiB, but the workers need 427.5 MiB" in known.stdout
    assert "size=428m" in known.stdout


def test_the_job_counts_for_a_machine_that_is_only_imagined(run: "Run", log: str) -> None:
    result = run("explain", log, "--format", "json", *JOB)

    (cause,) = json.loads(result.stdout)["causes"]
    assert cause["assumed"] == ""
    assert any("428m" in remedy["shell"] for remedy in cause["remedies"])


def test_a_record_has_a_process_and_an_environment_of_its_own(
    run: "Run", log: str, record: str
) -> None:
    result = run("explain", log, "--from", record, "--pid", "1")

    assert result.exit_code == 2
    assert "it cannot be combined with --pid" in result.stderr


def _observed(*, shm: float = 0.0, size: float = 0.0, workers: int = 0) -> Facts:
    """What was seen of a job: its workers, and its /dev/shm at the end."""
    seen = Observation(seconds=9, samples=90, workers=workers, ranks=1, main=MainShares())
    start = Setting(num_workers=workers)
    contents = Contents(bytes=0, shared_bytes=0, objects=1)
    live = LiveJob(pid=9, seconds=9, shm=Trend(first=0, last=shm, limit=size) if size else None)
    pipeline = Pipeline(
        target="PID 9",
        start=start,
        contents=contents,
        observed=seen,
        cpus=4.0,
        cpus_bound="machine",
    )
    return Facts(pipeline, live)


def _explain(seen: Facts | None, job: JobRequest | None = None, *argv: str) -> str:
    argv = argv or ("sh", "-c", "true")
    return explain_output(BUS.encode(), 1, argv, job or JobRequest(), seen)


def test_the_job_that_died_here_is_never_ruled_out() -> None:
    said = _explain(_observed(), JobRequest(workers=1, batch_bytes=1))

    assert "ruled out" not in said
    assert "ruled-out" not in said
    assert "Here: unknown; shm-too-small finds no problem" in said
    assert "nevertheless the job failed here" in " ".join(said.split())


def test_its_workers_and_its_shm_at_death_are_known() -> None:
    said = _explain(_observed(workers=8, shm=64 << 20, size=64 << 20))

    text = " ".join(said.split())
    assert "/dev/shm has 64.0 MiB, but the workers need 80.0 MiB" in text
    assert "Assuming" not in text, "18 batches filled it"


@pytest.mark.parametrize(
    ("ran_out", "said"),
    [(False, "Here: unknown; the kernel's count"), (True, "Here: unknown; memory-limit-too-low")],
)
def test_the_count_of_the_kernel_judges_workers_that_were_killed(ran_out: bool, said: str) -> None:
    log = b"RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.\n"

    text = explain_output(log, 1, ("sh",), JobRequest(), None, ran_out=ran_out)

    assert said in " ".join(text.split())


@pytest.mark.parametrize(
    ("ran_out", "said", "not_said"),
    [
        (False, "killed by SIGKILL; no sign of the OOM killer here", "worker-oom-killed"),
        (True, "worker-oom-killed", "no sign"),
        (None, "worker-oom-killed", "no sign"),
    ],
)
def test_sigkill_is_the_oom_killers_where_its_count_rose(
    ran_out: bool | None, said: str, not_said: str
) -> None:
    text = explain_output(b"epoch 1\n", 137, ("sh",), JobRequest(), None, ran_out=ran_out)

    assert said in text
    assert not_said not in text


def test_what_is_typed_wins_over_what_was_seen() -> None:
    said = _explain(
        _observed(workers=8, size=64 << 20), JobRequest(workers=2, batch_bytes=32 << 20)
    )

    assert "but the workers need 240.0 MiB" in " ".join(said.split())


def test_its_code_is_read(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "from torch.utils.data import DataLoader\nloader = DataLoader(rows, num_workers=16)\n"
    )

    said = _explain(_observed(size=64 << 20), None, sys.executable, str(script))

    assert "16 workers can send batches of at most" in " ".join(said.split())


@pytest.mark.parametrize(
    ("argv", "script"),
    [
        (["python", "train.py", "--lr", "1"], "train.py"),
        (["torchrun", "--nproc_per_node=2", "train.py"], "train.py"),
        (["python", "-m", "jobs.train"], os.path.join("jobs", "train.py")),  # noqa: PTH118
        (["./train.py"], "./train.py"),
        (["python", "-m", "no.such"], ""),
        (["python", "absent.py"], ""),
        (["sh", "-c", "true"], ""),
    ],
)
def test_the_script_of_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], script: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs").mkdir()
    for name in ("train.py", "jobs/train.py"):
        Path(name).touch()

    assert find_script(argv) == script


def test_the_interpreter_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("python", "torchrun", "other"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_python(["python", "a.py"]) == str(tmp_path / "python")
    assert find_python(["torchrun", "a.py"]) == str(tmp_path / "python")
    assert find_python(["other", "a.py"]) is None


def test_options_end_where_the_command_begins(start: Start) -> None:
    done = start("run", "--workers", "2", "sh", "-c", 'echo "$@"', "x", "--workers", "8", "-q")

    assert done.stdout == b"--workers 8 -q\n"


def test_a_job_that_cannot_be_is_refused_before_the_command_starts(start: Start) -> None:
    done = start("run", "--data", "/no/such/folder", "--", "echo", "started")

    assert done.returncode == 2
    assert done.stdout == b""
    assert b"/no/such/folder" in done.stderr
