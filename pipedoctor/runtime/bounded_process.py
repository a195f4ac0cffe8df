"""
Run a program of others: what it prints is bounded, and what it leaves behind is ended.

Its output goes through pipes of which only the end is kept: a file would fill the disk. A
daemon that it starts becomes a child of this process (Linux), wherever it hides from its
own parent, and is killed with it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

_CHUNK_BYTES = 1 << 16
_SET_SUBREAPER, _GET_SUBREAPER = 36, 37
"""PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER of <linux/prctl.h>."""
_REAP_TIMEOUT = 1.0
"""Seconds for killed processes to end, and for their pipes to close."""


class ProcessOutput(NamedTuple):
    """How a program ended, and the end of what it wrote."""

    exit_code: int | None
    """As `subprocess` has it; None: it was killed for lateness."""
    stdout: bytes
    stderr: bytes
    delayed_seconds: float = 0.0
    """For how long a late one was ready to run and got no CPU; 0: or not known."""


class _TailReader(threading.Thread):
    """Reads a pipe until it is closed, and keeps the end and the last marked line."""

    def __init__(self, pipe: IO[bytes], max_bytes: int, mark: bytes) -> None:
        super().__init__(daemon=True)
        self._mark = mark
        self._marked_line = b""
        self._descriptor = pipe.fileno()
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self.start()

    def run(self) -> None:
        """Read on, so that the program never waits for a full pipe."""
        with contextlib.suppress(OSError, ValueError):
            while part := os.read(self._descriptor, _CHUNK_BYTES):
                self._buffer += part
                if len(self._buffer) > 2 * self._max_bytes:
                    self._drop_start()

    def _drop_start(self) -> None:
        at = self._buffer.rfind(self._mark) if self._mark else -1
        if 0 <= at < len(self._buffer) - self._max_bytes:
            line = self._buffer[at : at + self._max_bytes]
            self._marked_line = bytes(line.partition(b"\n")[0]) + b"\n"
        del self._buffer[: -self._max_bytes]

    def get_tail(self) -> bytes:
        """Return the last bytes that came, behind a marked line that came before."""
        return self._marked_line + self._buffer[-self._max_bytes :]


def reap_killed(process: subprocess.Popen[bytes]) -> None:
    """Wait for a killed process, but briefly: a call of a driver may keep it for ever."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_REAP_TIMEOUT)


def run_bounded(
    argv: Sequence[str],
    *,
    environ: Mapping[str, str],
    timeout: float,
    max_bytes: int,
    mark: bytes = b"",
) -> ProcessOutput:
    """
    Run a program without a terminal; keep the last `max_bytes` of each of its outputs.

    The last line that `mark` begins is kept, however much comes after it. `timeout` is in
    seconds. When this returns, what the program has started has ended as
    well. Raises OSError where it cannot be started.
    """
    with _adopted_orphans():
        return _run(argv, environ, timeout, max_bytes, mark)


def _run(
    argv: Sequence[str], environ: Mapping[str, str], timeout: float, max_bytes: int, mark: bytes
) -> ProcessOutput:
    before = _list_children()
    process = subprocess.Popen(
        argv,
        env=dict(environ),
        stdin=subprocess.PIPE,  # closed at once: /dev/null may be missing
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None  # noqa: S101  (all are pipes)
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    process.stdin.close()
    readers = [_TailReader(pipe, max_bytes, mark) for pipe in (process.stdout, process.stderr)]
    exit_code: int | None = None
    delayed = 0.0
    try:
        exit_code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        delayed = _read_delay(process.pid)
        process.kill()
        reap_killed(process)
    _end_orphans(before | {process.pid})
    for reader, pipe in zip(readers, (process.stdout, process.stderr), strict=True):
        reader.join(_REAP_TIMEOUT)
        if not reader.is_alive():
            pipe.close()
    stdout, stderr = (reader.get_tail() for reader in readers)
    return ProcessOutput(exit_code, stdout, stderr, delayed)


def _read_delay(pid: int) -> float:
    """Seconds that its first thread has waited for a CPU: /proc/PID/schedstat."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


@contextlib.contextmanager
def _adopted_orphans() -> Generator[None, None, None]:
    """
    Be the parent of descendants whose own parent ends, where the system can.

    Only meanwhile: whoever calls may have children of its own, whose orphans are not ours.
    """
    if sys.platform != "linux":
        yield
        return
    import ctypes  # noqa: PLC0415  (only where programs of others are run)

    prctl = ctypes.CDLL(None).prctl
    before = ctypes.c_int()
    prctl(_GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SET_SUBREAPER, before.value, 0, 0, 0)


def _list_children() -> set[int]:
    """Processes whose parent is this one; none where the system does not tell."""
    children: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError, ValueError):
            children.update(map(int, file.read_text("ascii").split()))
    return children


def _end_orphans(others: set[int]) -> None:
    """Kill children that came since, and theirs as they come; `others` are left alone."""
    until = time.monotonic() + _REAP_TIMEOUT
    while (orphans := _list_children() - others) and time.monotonic() < until:
        for pid in orphans:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.002)
