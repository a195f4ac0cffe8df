"""
Run a short program and keep what it prints; wait for its end no longer than its time.

`subprocess.run` waits for a killed program without an end: a call of a driver, a dead mount
or a debugger may keep it for ever. Here the wait is given up, and the reason says so.
"""

import contextlib
import signal
import subprocess
from collections.abc import Mapping, Sequence

from pipedoctor.runtime.bounded_process import reap_killed


class LateProcessError(Exception):
    """It did not end in time; the text goes behind its name: ``git did not end ...``."""

    def __init__(self, seconds: float, left_pid: int | None) -> None:
        self.left_pid = left_pid
        late = f"did not end within {seconds:g} s"
        if left_pid is not None:
            late += f", not even when killed; left running as PID {left_pid}"
        super().__init__(late)


def run_captured(
    argv: Sequence[str],
    *,
    timeout: float,
    environ: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    pass_fds: Sequence[int] = (),
) -> subprocess.CompletedProcess[bytes]:
    """
    The output and exit code of a program.

    Raises OSError or ValueError where it cannot be started, LateProcessError after `timeout`
    seconds.
    """
    process = subprocess.Popen(
        argv,
        env=None if environ is None else dict(environ),
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=pass_fds,
    )
    try:
        stdout, stderr = process.communicate(stdin or None, timeout)
    except subprocess.TimeoutExpired:
        raise LateProcessError(timeout, _end(process)) from None
    except BaseException:
        _end(process)
        raise
    return subprocess.CompletedProcess(argv, process.returncode, stdout, stderr)


def _end(process: subprocess.Popen[bytes]) -> int | None:
    """Kill it; its PID, if it is there nevertheless."""
    with contextlib.suppress(OSError):
        process.kill()
    reap_killed(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    if process.poll() is not None:
        return None
    process.returncode = -signal.SIGKILL  # so that nobody asks it again
    return process.pid
