"""`fix NAME --measure TARGET` on a real machine: it helps, it does not, it cannot."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import Ward

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.torch]
CODE = """\
import os
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Large(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.ones(24, 1 << 20, dtype=torch.uint8)


def large():
    return DataLoader(Large(), batch_size=1, num_workers=2, prefetch_factor=2)


class Small(Large):
    def __getitem__(self, index):
        time.sleep(0.05)
        return torch.ones(8)


def small():
    return DataLoader(Small(), batch_size=1, num_workers=2)


class Files(Small):
    def __getitem__(self, index):
        held = [os.open("/dev/null", os.O_RDONLY) for _ in range(200)]
        for descriptor in held:
            os.close(descriptor)
        return torch.ones(8)


def files():
    return DataLoader(Files(), batch_size=1, num_workers=1)


class Computing(Small):
    def __getitem__(self, index):
        end = time.thread_time() + 0.004
        while time.thread_time() < end:
            pass
        return torch.ones(8)


def computing():
    return DataLoader(Computing(), batch_size=4, num_workers=2)
"""


@pytest.fixture
def train(tmp_path: Path) -> str:
    path = tmp_path / "train.py"
    path.write_text(CODE)
    return str(path)


@pytest.fixture
def job() -> Iterator[int]:
    """A process that may open 128 files."""
    argv = ["prlimit", "--nofile=128:4096", "sleep", "300"]
    with subprocess.Popen(argv) as running:
        yield running.pid
        running.kill()


PROOF = ("--prove", "--yes", "--budget", "80")
"""Time for a busy machine; an undisturbed one needs a tenth of it."""


@pytest.mark.extended
def test_a_loader_that_died_runs_and_the_change_stays(ward: Ward, train: str) -> None:
    done = ward.fix("--shm", "512m", "--measure", f"{train}:large", *PROOF)

    assert done.code == 0, done.out + done.err
    assert "before: it failed: with num_workers=2" in done.out
    assert "measured: it runs, " in done.out
    assert "done and proved: /dev/shm 512.0 MiB" in done.out
    assert ward.shm() == 512
    assert ward.states() == ["proved"]


def test_what_does_not_help_is_taken_back(ward: Ward, train: str) -> None:
    args = ("--prove", "--yes", "--budget", "16")
    done = ward.fix("--shm", "128m", "--measure", f"{train}:small", *args)

    assert done.code == 1
    assert "it was rolled back" in done.err or "nothing was changed" in done.err
    assert ward.shm() == 64
    assert ward.states() in (["rolled-back"], [])


@pytest.mark.extended
def test_the_limit_of_a_process_is_that_of_the_loader(ward: Ward, train: str, job: int) -> None:
    done = ward.fix("--nofile", "1024", "--pid", str(job), "--measure", f"{train}:files", *PROOF)

    assert done.code == 0, done.out + done.err
    assert "Too many open files" in done.out
    assert "measured: it runs, " in done.out
    assert ward.states() == ["proved"]


@pytest.fixture
def pinned() -> Iterator[int]:
    """A process that may use one CPU of several."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one CPU only")
    with subprocess.Popen(["taskset", "-c", "0", "sleep", "300"]) as running:
        while len(os.sched_getaffinity(running.pid)) > 1:
            time.sleep(0.01)
        yield running.pid
        running.kill()


ALLOWED = "cpu-affinity-restricted"


@pytest.mark.extended
def test_more_cpus_make_a_loader_faster_and_stay(ward: Ward, train: str, pinned: int) -> None:
    done = ward.fix(*(ALLOWED, "--pid", str(pinned), "--measure", f"{train}:computing", *PROOF))

    if "too much for a reliable" in done.out + done.err:
        pytest.skip(f"this machine is too busy: {done.out}{done.err}")
    assert done.code == 0, done.out + done.err
    assert "predicted: Saves " in done.out
    assert "measured: Saves " in done.out
    assert "done and proved: " in done.out
    assert len(os.sched_getaffinity(pinned)) > 1
    assert ward.states() == ["proved"]


@pytest.mark.extended
def test_more_cpus_that_make_nothing_faster_are_taken_back(
    ward: Ward, train: str, pinned: int
) -> None:
    done = ward.fix(
        *(ALLOWED, "--pid", str(pinned), "--measure", f"{train}:small"),
        *("--prove", "--yes", "--budget", "20"),
    )

    assert done.code == 1, done.out + done.err
    assert "it was rolled back" in done.err or "nothing was changed" in done.err
    assert len(os.sched_getaffinity(pinned)) == 1
    assert ward.states() in (["rolled-back"], [])


def test_what_needs_a_new_login_is_refused(
    ward: Ward, train: str, snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("--nofile", "4096", "--persist", "--measure", f"{train}:small")

    assert done.code == 1
    assert done.err == snapshot
    assert ward.states() == []


def test_a_target_that_is_not_there_changes_nothing(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("--shm", "128m", "--yes", "--measure", "no.py:make")

    assert done.code == 2
    assert done.err == snapshot
    assert ward.shm() == 64
