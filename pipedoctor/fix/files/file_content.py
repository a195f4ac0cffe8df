"""Read whole files that a fix may replace: regular ones, up to a size."""

import os
import stat

from pipedoctor.fix.plan.plan import StepFailedError

MAX_FILE_BYTES = 64 << 20
"""Bytes of a file that is replaced: two copies of it must fit."""


def read_content(path: str) -> bytes | None:
    """All that a file holds; None when there is none. Raises StepFailedError, OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return read_regular(descriptor, path)
    finally:
        os.close(descriptor)


def read_regular(descriptor: int, path: str) -> bytes:
    """All that an open regular file holds; StepFailedError for others, and beyond the limit."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        message = f"{path} is not a regular file"
        raise StepFailedError(message)
    if status.st_size > MAX_FILE_BYTES:
        message = f"{path} has more than {MAX_FILE_BYTES >> 20} MiB"
        raise StepFailedError(message)
    parts: list[bytes] = []
    offset = 0
    while part := os.pread(descriptor, 1 << 20, offset):
        parts.append(part)
        offset += len(part)
        if offset > MAX_FILE_BYTES:
            message = f"{path} grows while it is read"
            raise StepFailedError(message)
    return b"".join(parts)
