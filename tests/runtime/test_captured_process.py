"""A program that does not end, not even when it is killed, is left, and named."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.runtime.captured_process import LateProcessError, run_captured

TRACED = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
libc.prctl(0x59616D61, -1, 0, 0, 0)  # whoever likes may trace this process
traced = os.getpid()
tracer = os.fork()
if not tracer:
    failed = libc.ptrace(0x4206, traced, 0, 0)  # PTRACE_SEIZE
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(f"{os.getpid()} {failed}")
    os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(60)
"""
"""What is traced is not buried by its parent until the tracer has seen it dead."""


@pytest.fixture
def tracer_file(tmp_path: Path) -> Iterator[Path]:
    """Where the tracer writes who it is; it is ended afterwards."""
    file = tmp_path / "tracer"
    yield file
    if file.exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(file.read_text().split()[0]), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="traced as on Linux")
def test_what_does_not_end_when_killed_is_left_running(tracer_file: Path) -> None:
    began = time.monotonic()

    with pytest.raises(LateProcessError) as raised:
        run_captured([sys.executable, "-c", TRACED, str(tracer_file)], timeout=1.0)

    spent = time.monotonic() - began
    left = raised.value.left_pid
    if not tracer_file.exists() or tracer_file.read_text().split()[1] != "0":
        pytest.skip("no process may be traced here")
    assert str(raised.value) == (
        f"did not end within 1 s, not even when killed; left running as PID {left}"
    )
    assert spent < 30  # the tracer keeps it for 60
    assert left is not None
    os.kill(left, 0)  # it is there
    os.kill(int(tracer_file.read_text().split()[0]), signal.SIGKILL)
    assert os.waitpid(left, 0)[1] == signal.SIGKILL


def test_a_late_program_is_killed() -> None:
    with pytest.raises(LateProcessError, match=r"^did not end within 0\.1 s$") as raised:
        run_captured(["sleep", "60"], timeout=0.1)

    assert raised.value.left_pid is None


def test_what_it_prints_is_kept() -> None:
    done = run_captured(
        ["sh", "-c", "cat; echo $A >&2; exit 3"], timeout=60, stdin=b"in", environ={"A": "x"}
    )

    assert (done.returncode, done.stdout, done.stderr) == (3, b"in", b"x\n")
