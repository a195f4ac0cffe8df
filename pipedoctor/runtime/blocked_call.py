"""
Which path a process of ours is stuck at, as the kernel tells: no announcement needed.

Linux shows the system call in which a thread sleeps, and its arguments. What they point to
is read from the memory of the child; the path itself is never touched here.
"""

import os
import threading
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pipedoctor.runtime.system_calls import (
    AT_PATH,
    DESCRIPTOR,
    PATH,
    find_system_call,
)

INSPECTION_TIMEOUT = 0.3
"""Seconds for asking the kernel: old ones make who asks wait for an `execve`."""
SAMPLE_INTERVAL = 0.03
"""Seconds between two looks; who sleeps in the same call in both is stuck there."""
_MAX_PROCESSES = 64
_MAX_PATH_BYTES = 4096
_PAGE_BYTES = 4096
_WORKING_FOLDER = (1 << 32) - 100
"""AT_FDCWD as the kernel prints it, in 32 bits."""
_PLAIN_NAMES = {
    "newfstatat": "stat",
    "statx": "stat",
    "openat": "open",
    "openat2": "open",
    "getdents64": "listdir",
    "faccessat": "access",
    "faccessat2": "access",
    "readlinkat": "readlink",
}
_KERNEL_FOLDERS = ("/proc/", "/sys/")
"""The kernel's own answers; they may be slow but belong to no server."""


class BlockedCall(NamedTuple):
    """A system call that did not come back, and the path that it is about."""

    call: str
    path: str


class ProcessSample(NamedTuple):
    """One look at the threads of a process and of all that it started."""

    calls: dict[str, tuple[str, BlockedCall]]
    """By thread: the kernel's line, and what it says."""
    is_running: bool
    """Is one of them on a CPU, or waiting for one?"""


def find_blocked_calls(pids: Iterable[int]) -> dict[int, ProcessSample]:
    """
    Look twice, `SAMPLE_INTERVAL` apart, at these processes and their children.

    Only calls in which a thread slept both times are left. Empty where the kernel does
    not tell in time, or not at all.
    """
    samples: dict[int, ProcessSample] = {}

    def look() -> None:
        wanted = list(pids)
        before = {pid: _sample_process(pid) for pid in wanted}
        time.sleep(SAMPLE_INTERVAL)
        for pid in wanted:
            samples[pid] = _keep_stuck(before[pid], _sample_process(pid))

    thread = threading.Thread(target=look, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no more threads
        return {}
    thread.join(INSPECTION_TIMEOUT)
    return dict(samples)


def find_stuck_call(pid: int, seconds: float) -> BlockedCall | None:
    """
    The call in which a process, or a child of it, sleeps without a break for these seconds.

    Slow storage answers one call after the other, and whoever reads is woken each time;
    who was not waits for a path that does not answer.
    """
    before = find_blocked_calls([pid]).get(pid)
    if before is None or not before.calls:
        return None
    switches = {thread: _count_switches(thread) for thread in before.calls}
    time.sleep(seconds)
    after = find_blocked_calls([pid]).get(pid)
    stuck = _keep_stuck(before, after).calls if after is not None else {}
    still = (call for thread, (_, call) in stuck.items() if _is_unmoved(thread, switches[thread]))
    return next(still, None)


def _is_unmoved(thread: str, switches: str) -> bool:
    """Was it never woken since? Only what the kernel tells counts."""
    return bool(switches) and _count_switches(thread) == switches


def _count_switches(thread: str) -> str:
    """How often a thread has gone to sleep, as the kernel writes it."""
    return _read_text(f"{thread}/status").partition("\nvoluntary_ctxt_switches:")[2]


def describe_stuck_call(call: BlockedCall) -> str:
    """Say which path does not answer; not yet safe for a terminal."""
    return f"{call.path} does not answer: {call.call} hung"


def _keep_stuck(before: ProcessSample, after: ProcessSample) -> ProcessSample:
    calls = {
        thread: seen
        for thread, seen in after.calls.items()
        if before.calls.get(thread, ("", None))[0] == seen[0]
    }
    return ProcessSample(calls, before.is_running and after.is_running)


def _sample_process(pid: int) -> ProcessSample:
    calls: dict[str, tuple[str, BlockedCall]] = {}
    running = False
    for thread in _iter_threads(pid):
        line = _read_text(f"{thread}/syscall")
        running |= line.startswith("running")
        if (call := _parse_call(thread, line)) is not None:
            calls[thread] = line, call
    return ProcessSample(calls, running)


def _iter_threads(pid: int) -> Iterator[str]:
    """The folders in /proc of all threads of a process and of its children."""
    waiting = [str(pid)]
    for _ in range(_MAX_PROCESSES):
        if not waiting:
            return
        process = waiting.pop()
        try:
            threads = os.listdir(f"/proc/{process}/task")  # noqa: PTH208  (names only)
        except OSError:
            continue
        for thread in threads[:_MAX_PROCESSES]:
            folder = f"/proc/{process}/task/{thread}"
            yield folder
            waiting += _read_text(f"{folder}/children").split()


def _parse_call(thread: str, line: str) -> BlockedCall | None:
    """What ``257 0xffffff9c 0x7f... ...`` is about; None: no path of a file system."""
    words = line.split()
    if len(words) < 3 or not words[0].isdecimal():  # noqa: PLR2004  (number, two arguments)
        return None
    call, first, second = find_system_call(int(words[0])), int(words[1], 16), int(words[2], 16)
    if call.subject == DESCRIPTOR:
        path = _read_link(f"{thread}/fd/{first}")
    elif call.subject == PATH:
        path = _read_path(thread, first, _read_link(f"{thread}/cwd"))
    elif call.subject == AT_PATH:
        near = first & 0xFFFF_FFFF
        folder = "cwd" if near == _WORKING_FOLDER else f"fd/{near}"
        path = _read_path(thread, second, _read_link(f"{thread}/{folder}"))
    else:
        return None
    if not path.startswith("/") or path.startswith(_KERNEL_FOLDERS):
        return None
    return BlockedCall(_PLAIN_NAMES.get(call.name, call.name), path)


def _read_path(thread: str, address: int, folder: str) -> str:
    """The path at this address, seen from `folder`; the folder itself where it is empty."""
    try:
        memory = os.open(f"{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        data = b""
        while b"\0" not in data and len(data) < _MAX_PATH_BYTES:
            at = address + len(data)
            data += os.pread(memory, _PAGE_BYTES - at % _PAGE_BYTES, at) or b"\0"
    except (OSError, OverflowError):
        return ""
    finally:
        os.close(memory)
    name = os.fsdecode(data.partition(b"\0")[0])
    return os.path.normpath(os.path.join(folder, name)) if folder else name  # noqa: PTH118


def _read_link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115  (a link of /proc: the kernel's own text)
    except OSError:
        return ""


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""
