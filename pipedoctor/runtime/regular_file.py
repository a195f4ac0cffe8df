"""
Read a file that others may have written: regular, up to a size, without waiting.

Whoever writes a project, an environment or a report may put a pipe, a device, a link to
one or a file of gigabytes where a small file is expected. Every reader of such files goes
through here; ``tests/test_house.py`` forbids other ways to open them.
"""

import errno
import os
import stat
from typing import IO, Union

FilePath = Union[str, "os.PathLike[str]"]

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_CHUNK_BYTES = 1 << 16


class NotRegularError(OSError):
    """What has this name is a pipe, a device or a socket."""

    def __init__(self, path: FilePath) -> None:
        super().__init__(errno.EINVAL, "not a regular file", str(path))


class FileTooLargeError(OSError):
    """There is more in the file than may be read."""

    def __init__(self, path: FilePath, max_bytes: int) -> None:
        size = f"{max_bytes >> 20} MiB" if max_bytes >> 20 else f"{max_bytes} bytes"
        super().__init__(errno.EFBIG, f"larger than {size}", str(path))


REFUSED_ERRORS = (NotRegularError, FileTooLargeError)
"""What is there but is not read; other errors of the system mean that nothing can be."""


def open_file(path: FilePath) -> IO[bytes]:
    """As `open_regular`, for readers that go to and fro in the file."""
    return os.fdopen(open_regular(path), "rb")


def open_regular(path: FilePath) -> int:
    """
    Open a regular file; returns its descriptor, for reading.

    Looked at before it is opened, for a device may act on that; and opened without
    waiting, for a pipe put there meanwhile would wait for a writer for ever. Raises
    OSError, `NotRegularError` among them.
    """
    try:
        _require_regular(path, os.stat(path))  # noqa: PTH116  (names with null bytes)
        descriptor = os.open(path, _OPEN_FLAGS)
    except ValueError as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    try:
        _require_regular(path, os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _require_regular(path: FilePath, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(path)


def read_start(path: FilePath, max_bytes: int) -> bytes:
    """Read the first bytes of a regular file, `max_bytes` at most; raises OSError."""
    descriptor = open_regular(path)
    try:
        return read_descriptor(descriptor, max_bytes)
    finally:
        os.close(descriptor)


def read_whole(path: FilePath, max_bytes: int) -> bytes:
    """
    Read all of a regular file.

    Raises OSError; `FileTooLargeError` where it holds, or grows to, more than `max_bytes`.
    """
    data = read_start(path, max_bytes + 1)
    if len(data) > max_bytes:
        raise FileTooLargeError(path, max_bytes)
    return data


def read_text(path: FilePath, max_bytes: int) -> str:
    """Read all of a file of text, as `read_whole`; what is no UTF-8 is replaced."""
    return read_whole(path, max_bytes).decode("utf-8", errors="replace")


def read_descriptor(descriptor: int, max_bytes: int) -> bytes:
    """
    Read on from here, `max_bytes` at most; raises OSError.

    The size of a file in /proc is unknown, so that it is read until it ends. By
    descriptor: with a thousand small files `open` alone costs as much as reading.
    """
    size = os.fstat(descriptor).st_size
    part = os.read(descriptor, min(max_bytes, size or _CHUNK_BYTES))
    if size and len(part) == size:
        return part
    parts = [part]
    left = max_bytes - len(part)
    while part and left > 0:
        part = os.read(descriptor, min(left, _CHUNK_BYTES))
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
