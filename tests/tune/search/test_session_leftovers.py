"""What dead sessions leave in shared memory is removed, and nothing of others."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from pipedoctor.tune.target.leftover_files import LeftoverFiles

HERE = Path(__file__).parents[1] / "workloads"
LABELLED = HERE / "labelled.py"

pytestmark = pytest.mark.usefixtures("nothing_is_left")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.torch
def test_nothing_is_left_of_one_that_is_stopped(how: signal.Signals, temporary: Path) -> None:
    argv = [sys.executable, "-m", "pipedoctor", "tune", f"{LABELLED}:io_latency"]
    with subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(temporary)},
    ) as running:
        end = time.monotonic() + 20
        while time.monotonic() < end and not _workers(running.pid):
            time.sleep(0.05)
        running.send_signal(how)
        shown, _ = running.communicate(timeout=15)
    if how == signal.SIGINT:
        assert running.returncode == 130
        assert b"interrupted" in shown
    end = time.monotonic() + 5
    while time.monotonic() < end and list(temporary.iterdir()):
        time.sleep(0.05)
    assert list(temporary.iterdir()) == []


def _workers(pid: int) -> list[psutil.Process]:
    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
    return [process for process in below if process.name() == "pt_data_worker"]


@pytest.mark.parametrize("enclosed", [True, False], ids=["alone", "shared"])
def test_files_of_dead_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enclosed: bool
) -> None:
    def told(_: LeftoverFiles) -> bool:
        return enclosed

    monkeypatch.setattr(LeftoverFiles, "_is_private_folder", told)
    orphans = ["sem.mp-gone", "torch_999999999_1_0"]
    (tmp_path / "torch_1_before").touch()
    remains = LeftoverFiles(tmp_path)
    (tmp_path / "torch_999999999_1_0").touch()
    (tmp_path / f"torch_{os.getpid()}_1_0").touch()
    (tmp_path / "other").touch()
    (tmp_path / "sem.mp-gone").touch()
    with (tmp_path / "held").open("w"):
        remains.record_used([os.getpid()])
    with (tmp_path / "sem.mp-used").open("w"):
        assert remains.remove_leftovers() == ["held", *(orphans if enclosed else ())]
    left = {file.name for file in tmp_path.iterdir()}
    kept = {"torch_1_before", f"torch_{os.getpid()}_1_0", "other", "sem.mp-used"}
    assert left == kept | set(() if enclosed else orphans)


@pytest.mark.root
def test_a_file_of_another_pid_namespace_stays() -> None:
    remains = LeftoverFiles()
    theirs = Path("/dev/shm/torch_999999998_1_0")
    script = f"touch {theirs} && echo made && cat"
    ways = subprocess.PIPE
    with subprocess.Popen(
        ["unshare", "-pf", "--mount-proc", "sh", "-c", script], stdin=ways, stdout=ways
    ) as stranger:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == b"made\n"
        removed, there = remains.remove_leftovers(), theirs.exists()
        stranger.communicate(b"")
    theirs.unlink(missing_ok=True)

    assert there
    assert theirs.name not in removed


def test_semaphores_of_others_that_run_stay() -> None:
    remains = LeftoverFiles()
    lock: Any = multiprocessing.get_context("spawn").Lock()
    mine = f"sem.{lock._semlock.name[1:]}"  # noqa: SLF001  (its only name)

    assert mine not in remains.remove_leftovers()
    assert Path("/dev/shm", mine).exists()
    assert lock.acquire(timeout=1)
