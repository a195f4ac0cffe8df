"""Open files without traces, and tell what the page cache holds of them."""

import errno
import os

from pipedoctor.collect.machine import Machine, read_or_default

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_UNSUPPORTED_ERRNOS = frozenset({errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS})


def open_noatime(path: str | bytes | os.PathLike[str]) -> int:
    """Open without touching its access time, where that is permitted."""
    try:
        return os.open(path, _OPEN_FLAGS | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        return os.open(path, _OPEN_FLAGS)


def is_uncached(descriptor: int, offset: int = 0) -> bool | None:
    """
    Try to read a byte without waiting, which works only for a page in the cache.

    None: this file system cannot be asked (tmpfs, some FUSE and network ones).
    """
    flag = getattr(os, "RWF_NOWAIT", None)
    if flag is None:
        return None
    try:
        os.preadv(descriptor, [bytearray(1)], offset, flag)
    except BlockingIOError:
        return True
    except OSError as error:
        return None if error.errno in _UNSUPPORTED_ERRNOS else False
    return False


def read_device_bytes(machine: Machine) -> int | None:
    """Bytes that this process has fetched from devices so far; None: not counted."""
    for line in read_or_default(machine.proc / "self/io").splitlines():
        key, _, value = line.partition(": ")
        if key == "read_bytes" and value.isdecimal():
            return int(value)
    return None
