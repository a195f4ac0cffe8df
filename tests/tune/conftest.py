"""What goes on inside a trial has torch; what a target leaves behind fails its test."""

import importlib.util
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

NEED_TORCH = [
    "target/test_clocks.py",
    "target/test_endless_loader.py",
    "target/test_target.py",
]
collect_ignore = [] if importlib.util.find_spec("torch") else NEED_TORCH

WORKLOADS = Path(__file__).parent / "workloads"
RUNNER = ("PYTEST_XDIST_TESTRUNUID", "PYTEST_XDIST_WORKER")


def skip_if_too_busy(code: int, error: str) -> None:
    """Nothing can be measured where others take the CPUs: then this is what is said."""
    if code == 3 and re.search("too much for a reliable|loading .* exceeded", error):
        pytest.skip(f"this machine is too busy: {error}")


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """No process of a target outlives its test, and no segment of a dead one."""
    before = _orphans()
    yield
    end = time.monotonic() + 3
    while time.monotonic() < end and (_ours() or _orphans() - before):
        time.sleep(0.05)
    assert not _ours()
    assert not _orphans() - before


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder with a short name: sockets lie in it."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as folder:
        yield Path(folder)


def _orphans() -> set[str]:
    """Segments whose process is gone; those of tests beside this one have theirs."""
    files = Path("/dev/shm").glob("torch_[0-9]*_*")
    return {n.name for n in files if not psutil.pid_exists(int(n.name.split("_")[1]))}


def _ours() -> list[str]:
    """Command lines of processes that a target of this test run has left behind."""
    found: list[str] = []
    for process in psutil.process_iter(["cmdline", "status", "environ"]):
        environ: dict[str, str] = process.info["environ"] or {}
        if any(environ.get(name) != os.environ.get(name) for name in RUNNER):
            continue
        line = " ".join(process.info["cmdline"] or ())
        alive = process.info["status"] != psutil.STATUS_ZOMBIE
        if alive and str(WORKLOADS) in line and "tune.target" in line:
            found.append(line)
        if alive and "left behind" in line and "time.sleep(600)" in line:
            found.append(line)
    return found
