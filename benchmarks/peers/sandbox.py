"""
Run one command under one fault, with mounts, network and host name of its own.

``unshare --mount --net --uts python -m benchmarks.peers.sandbox ORDER``; the order and
what comes of it (on stdout) are JSON.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from benchmarks.peers.faults import EVERY
from benchmarks.peers.place import ToolNamespace

SUBREAPER = 36
MOST_OUTPUT = 400_000


class SandboxRequest(TypedDict):
    """What to run, where; `fault` is a title, empty on the clean machine."""

    argv: list[str]
    venv: str
    scratch: str
    layers: str
    fault: str
    cut: float


class SandboxOutcome(TypedDict):
    """What came of it; `peak` in bytes; `output`: both streams, stderr last."""

    seconds: float
    peak: int
    code: int | None
    stdout: str
    output: str
    refused: str
    """Why the fault could not be made; empty: it was."""


def run_in_sandbox(argv: Sequence[str], request: SandboxRequest) -> SandboxOutcome:
    """Run the command in a sandbox, and end everything that it started."""
    here = Path(__file__).parents[2]
    unshare = ["unshare", "--mount", "--net", "--uts", "--propagation", "private"]
    script = [sys.executable, "-m", "benchmarks.peers.sandbox"]
    text = json.dumps(request | {"argv": list(argv)})
    done = subprocess.run(
        [*unshare, *script, text],
        cwd=here,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    outcome: SandboxOutcome = json.loads(done.stdout)
    return outcome


def main(request: SandboxRequest) -> SandboxOutcome:
    """Make the place, spoil it, run the command, end all that it started."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    scratch = Path(request["scratch"])
    place = ToolNamespace.make(Path(request["venv"]), scratch, Path(request["layers"]))
    for fault in EVERY:
        if fault.title == request["fault"]:
            try:
                fault.make(place)
            except (OSError, StopIteration, subprocess.CalledProcessError) as error:
                _kill_remaining(place)
                return _refused_outcome(repr(error))
    argv = [place.environ.get(a[1:], "") if a[0] == "$" else a for a in request["argv"]]
    try:
        return _run_command(argv, place, request["cut"])
    finally:
        _kill_remaining(place)


def _refused_outcome(refused: str) -> SandboxOutcome:
    return SandboxOutcome(seconds=0, peak=0, code=None, stdout="", output="", refused=refused)


def _run_command(argv: Sequence[str], place: ToolNamespace, cut: float) -> SandboxOutcome:
    """Wall time, peak memory and output; code None: it had to be ended."""
    logs = [place.scratch / "stdout", place.scratch / "stderr"]
    late = threading.Event()
    began = time.perf_counter()
    with logs[0].open("wb") as stdout, logs[1].open("wb") as stderr:
        process = subprocess.Popen(
            ["env", *argv],
            env=place.environ,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=place.environ["HOME"],
            start_new_session=True,
        )
        timer = threading.Timer(cut, _kill_late, (process.pid, place, late))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    texts = [log.read_bytes()[:MOST_OUTPUT].decode(errors="replace") for log in logs]
    return SandboxOutcome(
        seconds=seconds,
        peak=usage.ru_maxrss << 10,
        code=None if late.is_set() else process.returncode,
        stdout=texts[0],
        output="\n".join(texts),
        refused="",
    )


def _kill_late(pid: int, place: ToolNamespace, late: threading.Event) -> None:
    late.set()
    os.killpg(pid, signal.SIGKILL)
    while place.undo_steps:  # a dead mount lets go of whom it holds
        place.undo_steps.pop()()


def _kill_remaining(place: ToolNamespace) -> None:
    """Kill the remaining processes, whose parent is now this one."""
    kin = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(100):
        for pid in map(int, kin.read_text().split()):
            os.kill(pid, signal.SIGKILL)
        while place.undo_steps:
            _run_last_undo(place)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.05)


def _run_last_undo(place: ToolNamespace) -> None:
    try:
        place.undo_steps[-1]()
    except OSError:
        time.sleep(0.05)  # a group is busy until the last of its processes is reaped
    else:
        place.undo_steps.pop()


if __name__ == "__main__":
    json.dump(main(json.loads(sys.argv[1])), sys.stdout)
