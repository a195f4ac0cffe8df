"""The log that `explain` is given: read in a lane where it may hang, and for a bounded time."""

import os
import select
import stat
import sys
import time
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.facts.log import Log
from pipedoctor.log.limits import ReadLimits
from pipedoctor.log.read import read_log
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.log.signatures import SignatureCatalogue

DEFAULT_DEADLINE = 15.0
_JUDGE_SHARE, _READ_SHARE, _LANE_SHARE = 0.5, 0.6, 0.75
"""Of the deadline: until when lines are judged, read at all, and waited for."""


def read_stdin_log(signatures: "SignatureCatalogue", deadline: float | None) -> Log:
    """
    Read stdin to its end; raises UsageError.

    Time in which a pipe brings nothing counts only where `deadline` was typed: without,
    a job may take its hours to write its log.
    """
    return _read_here(sys.stdin.buffer, "-", signatures, deadline)


def read_log_file(
    path: str, signatures: "SignatureCatalogue", deadline: float | None
) -> Log | None:
    """Read a file; None where there is none of this name; raises UsageError."""
    if path.startswith(files.OWN_DESCRIPTORS):
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                return _read_here(file, path, signatures, deadline)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _make_error(path, files.describe_error(error)) from None
    limits = _set_limits(deadline)

    def work(_announce: object) -> Any:
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                return msgspec.to_builtins(read_log(file, signatures, limits))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UnreadableError(files.describe_error(error)) from error
        except (EOFError, ValueError) as error:  # cut off; a name with a zero byte
            raise UnreadableError(str(error)) from error

    timeout = (deadline or DEFAULT_DEADLINE) * _LANE_SHARE
    try:
        found = files.run_with_timeout(path, work, timeout=timeout, share=1.0)
    except UnreadableError as error:
        raise _make_error(path, str(error)) from None
    return None if found is None else msgspec.convert(found, Log)


def _read_here(
    file: BinaryIO, name: str, signatures: "SignatureCatalogue", deadline: float | None
) -> Log:
    limits = _set_limits(deadline)
    source: Any = file
    if _is_pipe(file):
        limits.counts_waiting = deadline is not None
        source = _TimedPipe(file.fileno(), limits) if deadline is not None else file
    try:
        return read_log(source, signatures, limits)
    except (OSError, EOFError) as error:
        raise _make_error(name, str(error)) from None


def _set_limits(deadline: float | None) -> ReadLimits:
    now, seconds = time.monotonic(), deadline or DEFAULT_DEADLINE
    return ReadLimits(
        judge_until=now + seconds * _JUDGE_SHARE, read_until=now + seconds * _READ_SHARE
    )


def _is_pipe(file: BinaryIO) -> bool:
    """Can it keep its reader waiting? A terminal and a socket can as well."""
    try:
        mode = os.fstat(file.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and hasattr(select, "poll")


class _TimedPipe:
    """A pipe that is read until the time is up, whether or not its writer goes on."""

    def __init__(self, descriptor: int, limits: ReadLimits) -> None:
        self._descriptor = descriptor
        self._limits = limits
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def read(self, size: int) -> bytes:
        """So many bytes, or what came until the end or until the time was up."""
        parts: list[bytes] = []
        while size > 0:
            left = self._limits.read_until - time.monotonic()
            if left <= 0 or not self._poll.poll(left * 1000):
                self._limits.stopped = True
                break
            data = os.read(self._descriptor, size)
            if not data:
                break
            parts.append(data)
            size -= len(data)
        return b"".join(parts)


def _make_error(name: str, reason: str) -> click.UsageError:
    return click.UsageError(f"{name}: cannot be read: {reason}")
