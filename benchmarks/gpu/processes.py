"""Run a command for a bounded time; when the time is over nothing of it is left."""

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
ENDED = 124
"""The exit code of what ran past its limit, as `timeout` has it."""
NOT_STARTED = 127


@dataclass(frozen=True)
class Completed:
    """How a command ended and what it printed."""

    argv: tuple[str, ...]
    code: int
    out: str
    err: str
    seconds: float

    @property
    def last_line(self) -> str:
        """The last line that says something, of what went wrong first."""
        lines = [line for line in (self.err.strip() or self.out.strip()).splitlines() if line]
        return lines[-1].strip() if lines else f"exit code {self.code}"


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends, so that they can be found."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run_command(
    argv: Sequence[str],
    limit: float,
    *,
    environ: Mapping[str, str],
    cwd: Path,
    given: str = "",
) -> Completed:
    """Run it with `given` on its standard input; after `limit` seconds end all of it."""
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            cwd=cwd,
            start_new_session=True,
        )
    except OSError as error:
        text = f"{argv[0]} cannot be started: {error.strerror}"
        return Completed(tuple(argv), NOT_STARTED, "", text, 0.0)
    out, err, code = _collect(process, max(0.1, limit), given.encode())
    seconds = time.monotonic() - began
    return Completed(tuple(argv), code, _decode(out), _decode(err), seconds)


def _collect(
    process: "subprocess.Popen[bytes]", limit: float, given: bytes
) -> tuple[bytes, bytes, int]:
    try:
        out, err = process.communicate(given, timeout=limit)
    except subprocess.TimeoutExpired:
        end_process_tree(process.pid)
        out, err = _drain(process)
        ended = f"\nended after its limit of {limit:.0f} s".encode()
        return out, err + ended, ENDED
    finally:
        end_process_tree(process.pid)
    return out, err, process.returncode


def _drain(process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """What it had printed; not for ever, for a stranger may hold the pipe."""
    try:
        return process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        return b"", b"its output is held open by another process"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def end_process_tree(pid: int) -> None:
    """Kill the group of `pid`, its descendants, and orphans that came to us."""
    doomed = {pid, *list_descendants(pid)}
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    for one in doomed | _find_orphans():
        with contextlib.suppress(OSError):
            os.kill(one, signal.SIGKILL)
    _reap(doomed - {pid})


def list_descendants(pid: int) -> set[int]:
    """All processes below it, by what /proc says of parents."""
    children: dict[int, list[int]] = {}
    for child, parent, _ in _read_processes():
        children.setdefault(parent, []).append(child)
    found: set[int] = set()
    open_pids = [pid]
    while open_pids:
        for child in children.get(open_pids.pop(), ()):
            if child not in found:
                found.add(child)
                open_pids.append(child)
    return found


def _find_orphans() -> set[int]:
    """Children of ours that lead or belong to a session which is not ours."""
    session = os.getsid(0)
    orphans = {
        child
        for child, parent, its_session in _read_processes()
        if parent == os.getpid() and its_session not in {session, child}
    }
    return orphans | {one for orphan in orphans for one in list_descendants(orphan)}


def _read_processes() -> Iterator[tuple[int, int, int]]:
    """PID, parent and session of every process that can be seen."""
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            words = place.read_text("utf-8", errors="replace").rpartition(")")[2].split()
            yield int(place.parent.name), int(words[1]), int(words[3])


def _reap(pids: set[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.waitpid(pid, os.WNOHANG)
