"""Where a process sleeps, as the kernel tells."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipedoctor.runtime.blocked_call import (
    BlockedCall,
    describe_stuck_call,
    find_blocked_calls,
    find_stuck_call,
)
from pipedoctor.runtime.system_calls import SYSTEM_CALLS

pytestmark = pytest.mark.skipif(
    not SYSTEM_CALLS or not Path("/proc/self/syscall").exists(), reason="no table of calls"
)


@contextmanager
def python(code: str, cwd: Path) -> Generator[int, None, None]:
    command = [sys.executable, "-S", "-c", code]
    with subprocess.Popen(command, cwd=cwd, start_new_session=True) as process:
        try:
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # its child as well, which waits for ever


def find_calls(pid: int) -> list[BlockedCall]:
    """Wait until it sleeps at a path: starting an interpreter takes its time."""
    for _ in range(100):
        sample = find_blocked_calls([pid]).get(pid)
        if sample is not None and sample.calls:
            return [call for _, call in sample.calls.values()]
        time.sleep(0.05)
    return []


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("open('x')", id="relative"),
        pytest.param("import os; os.open('x', 0, dir_fd=os.open('.', 0))", id="from a folder"),
        pytest.param(
            "import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', \"open('x')\"])",
            id="in a child",
        ),
    ],
)
def test_the_path_is_named_that_a_process_waits_for(code: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")

    with python(code, tmp_path) as pid:
        assert find_calls(pid) == [BlockedCall("open", f"{tmp_path}/x")]


def test_a_file_that_is_being_read_is_named_by_its_descriptor(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")

    with python("import os; os.read(os.open('x', os.O_RDWR), 1)", tmp_path) as pid:
        assert find_calls(pid) == [BlockedCall("read", f"{tmp_path}/x")]


def test_who_waits_for_no_file_is_not_blocked(tmp_path: Path) -> None:
    with python("import time; print(end='', flush=True); time.sleep(60)", tmp_path) as pid:
        time.sleep(0.5)
        sample = find_blocked_calls([pid])[pid]

    assert not sample.calls
    assert not sample.is_running


def test_who_computes_is_running(tmp_path: Path) -> None:
    with python("while True: pass", tmp_path) as pid:
        time.sleep(0.5)
        sample = find_blocked_calls([pid])[pid]

    assert sample.is_running
    assert not sample.calls


def test_who_has_ended_sleeps_nowhere() -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as process:
        process.wait()

    assert find_blocked_calls([process.pid])[process.pid].calls == {}


def test_who_sleeps_in_one_call_is_stuck(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")

    with python("open('x')", tmp_path) as pid:
        assert find_calls(pid)
        call = find_stuck_call(pid, 0.1)

    assert call is not None
    assert describe_stuck_call(call) == f"{tmp_path}/x does not answer: open hung"


def test_who_is_served_slowly_is_not_stuck(tmp_path: Path) -> None:
    """Each of its calls looks like the one before: same file, same place in memory."""
    os.mkfifo(tmp_path / "x")
    code = "import os\nf = os.open('x', os.O_RDWR)\nwhile True: os.read(f, 1)"

    with python(code, tmp_path) as pid, (tmp_path / "x").open("wb", buffering=0) as pipe:
        assert find_calls(pid)
        feeding = threading.Event()

        def feed() -> None:
            while not feeding.wait(0.01):
                pipe.write(b".")

        feeder = threading.Thread(target=feed)
        feeder.start()
        call = find_stuck_call(pid, 0.3)
        feeding.set()
        feeder.join()

    assert call is None
