"""
Touch the user's files: each in a child that can be abandoned, for any may hang.

Where no child can be started they are touched here: the report is worth the risk.
"""

import contextlib
import errno
import math
import os
import stat
import sys
import time
from collections.abc import Generator, Iterable
from contextvars import ContextVar
from typing import Any

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import lanes
from pipedoctor.runtime.atomic_write import create_atomically, write_atomically
from pipedoctor.runtime.file_trust import refuse_planted_link
from pipedoctor.runtime.probe import (
    NEVER_STARTED,
    Announce,
    Outcome,
    Probe,
    Work,
)
from pipedoctor.runtime.regular_file import read_whole

FILE_TIMEOUT = 2.0
OWN_DESCRIPTORS = ("/dev/fd/", "/dev/std", "/proc/self/fd/")
"""Names of this process's own descriptors; no child of ours holds them."""


FILE_SHARE = 0.4
"""Of the time that is left to a command: what one file that hangs may cost of it."""
LEAST_TIMEOUT = 0.2
"""Seconds that a file has even when the command's time is up: reports are still written."""
_START_SECONDS = 1.0
"""Seconds in which a child is started, where no command waits for the answer."""
_DEADLINE = ContextVar("deadline", default=math.inf)
"""When the command must have answered, on the monotonic clock."""


class FileTimeoutError(UnreadableError):
    """A file that did not answer in time; `outcome` says where it hung."""

    def __init__(self, message: str, outcome: Outcome | None = None) -> None:
        super().__init__(message)
        self.outcome = outcome


def run_probes(probes: list[Probe], *, until: float) -> dict[str, Outcome]:
    """Run probes in lanes, or in threads where no child can be started."""
    if lanes.CAN_FORK:
        return lanes.run_in_processes(probes, until=until)
    from pipedoctor.runtime.threads import run_in_threads  # noqa: PLC0415  (elsewhere)

    return run_in_threads(probes, until=until)


@contextlib.contextmanager
def answer_by(until: float) -> Generator[None, None, None]:
    """Let no file below take longer than this command has, on the monotonic clock."""
    token = _DEADLINE.set(until)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def limit_timeout(timeout: float, share: float = FILE_SHARE) -> float:
    """Shorten a timeout to this share of what is left to the command, if anything is."""
    left = (_DEADLINE.get() - time.monotonic()) * share
    return min(timeout, max(LEAST_TIMEOUT, left))


def run_with_timeout(
    name: str, work: Work, *, timeout: float = FILE_TIMEOUT, share: float = FILE_SHARE
) -> Any:
    """
    Run `work` in a lane; raises FileTimeoutError or UnreadableError.

    It gets `timeout` seconds, or `share` of what is left to the command (`answer_by`).
    """
    short = limit_timeout(timeout, share)
    probe = Probe(name=name, work=work, timeout=timeout, never_hangs=True)
    slack = _START_SECONDS if short == timeout else 0.0
    outcome = run_probes([probe], until=time.monotonic() + short + slack)[name]
    if outcome.reason and not outcome.hung and outcome.seconds >= short:
        # It was at work and did not sleep in a call: a machine under load, not a hang.
        outcome = run_probes([probe], until=time.monotonic() + timeout + slack)[name]
    return _get_value(outcome)


def load_file(path: str, max_bytes: int) -> bytes:
    """
    The first bytes of what the user names, also a pipe; raises UnreadableError.

    A file that another file names is read by `load_regular_file`.
    """
    if path.startswith(OWN_DESCRIPTORS):
        return _read_bytes(path, max_bytes)
    data = run_with_timeout(path, lambda _: _read_bytes(path, max_bytes))
    assert isinstance(data, bytes)  # noqa: S101  (what _bytes returns)
    return data


def load_regular_file(path: str, max_bytes: int) -> bytes:
    """All of a regular file, `max_bytes` at most; raises UnreadableError."""

    def work(announce: Announce) -> bytes:
        announce(f"read {path}")
        try:
            return read_whole(path, max_bytes)
        except OSError as error:
            raise UnreadableError(describe_error(error)) from error

    data = run_with_timeout(path, work)
    assert isinstance(data, bytes)  # noqa: S101  (what `work` returns)
    return data


def store_file(path: str, data: bytes) -> None:
    """
    Put `data` into a file, whole or not at all; raises UnreadableError.

    Devices and pipes are written to, not replaced; a link keeps pointing at its
    target; mode and owner of a file that was there stay.
    """
    if path.startswith(OWN_DESCRIPTORS):
        _write_file(path, data)
    else:
        run_with_timeout(path, lambda _: _write_file(path, data))


def create_file(path: str, data: bytes) -> bool:
    """Put `data` into a new file, whole; False where one is there; raises UnreadableError."""
    return bool(run_with_timeout(path, lambda _: _create_file(path, data)))


def find_missing(paths: Iterable[str], *, timeout: float = FILE_TIMEOUT) -> dict[str, str]:
    """Return the paths that cannot be reached, each with the reason."""
    asked, timeout = timeout, limit_timeout(timeout)
    slack = _START_SECONDS if timeout == asked else 0.0
    probes = [
        Probe(
            name=path,
            work=_make_stat_work(path),
            lane=path,
            timeout=timeout,
            never_hangs=True,
        )
        for path in dict.fromkeys(paths)
    ]
    return {
        name: outcome.reason
        for name, outcome in run_probes(probes, until=time.monotonic() + timeout + slack).items()
        if outcome.reason and not outcome.hung and outcome.reason != NEVER_STARTED
    }


def find_kind(path: str) -> str:
    """``folder``, ``file``, ``other``, or empty: absent; raises FileTimeoutError."""
    if path.startswith(OWN_DESCRIPTORS):
        return "other"
    return str(run_with_timeout(path, lambda _: _find_kind(path)))


def require_answer(path: str) -> None:
    """Raise TimeoutError, an OSError, where a path does not answer; whatever else it is."""
    try:
        find_kind(path)
    except FileTimeoutError as error:
        raise TimeoutError(errno.ETIMEDOUT, str(error)) from None


def measure_space(path: str) -> tuple[int, int, int]:
    """Bytes of a file system: all, free, available to users; raises UnreadableError."""
    size, free, available = run_with_timeout(path, lambda _: _measure_space(path))
    return size, free, available


def describe_error(error: OSError) -> str:
    """Return the system's own text of an error: ``No such file or directory``."""
    return error.strerror or str(error)


def _get_value(outcome: Outcome) -> Any:
    if outcome.hung:
        more = ": this path does not answer" if outcome.blocked_path else ""
        raise FileTimeoutError(outcome.reason + more, outcome)
    if outcome.reason:
        raise UnreadableError(outcome.reason)
    return outcome.value


def _make_stat_work(path: str) -> Work:
    def work(announce: Announce) -> bool:
        announce(f"stat {path}")
        try:
            os.stat(path)  # noqa: PTH116  (Path would cost its import in each lane)
        except OSError as error:
            raise UnreadableError(describe_error(error)) from error
        return True

    return work


def _read_bytes(path: str, max_bytes: int) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (also /dev/fd/3)
            return file.read(max_bytes)
    except OSError as error:
        raise UnreadableError(describe_error(error)) from error


def _find_kind(path: str) -> str:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _measure_space(path: str) -> tuple[int, int, int]:
    try:
        row = os.statvfs(path)
    except OSError as error:
        raise UnreadableError(describe_error(error)) from error
    size, free, available = row.f_blocks, row.f_bfree, row.f_bavail
    return size * row.f_frsize, free * row.f_frsize, available * row.f_frsize


def _write_file(path: str, data: bytes) -> None:
    try:
        refuse_planted_link(path)
        target = os.path.realpath(path)
        there = _stat_target(target)
        if path.startswith(OWN_DESCRIPTORS) or (there and not stat.S_ISREG(there.st_mode)):
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(data)
        else:
            _replace_file(target, data, there)
    except OSError as error:
        raise UnreadableError(describe_error(error)) from error


def _create_file(path: str, data: bytes) -> bool:
    try:
        return create_atomically(path, data)
    except FileExistsError:  # came between two looks
        return False
    except OSError as error:
        raise UnreadableError(describe_error(error)) from error


def _stat_target(path: str) -> os.stat_result | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return found


def _replace_file(target: str, data: bytes, status: os.stat_result | None) -> None:
    def keep_owner(descriptor: int) -> None:
        if status is None or sys.platform == "win32":
            return
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, status.st_gid)

    write_atomically(target, data, prepare=keep_owner)
