"""Open files without traces, and tell what the page cache holds of them."""

import errno
import os

from pipedoctor.collect.machine import Machine, read_or

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_UNABLE = frozenset({errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS})


def opened(path: str | bytes | os.PathLike[str]) -> int:
    """Open without touching its access time, where that is permitted."""
    try:
        return os.open(path, _FLAGS | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        return os.open(path, _FLAGS)


def misses(descriptor: int, offset: int = 0) -> bool | None:
    """
    Ask for a byte without waiting: only a page in the cache would come.

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
        return None if error.errno in _UNABLE else False
    return False


def from_device(machine: Machine) -> int | None:
    """Bytes that this process has fetched from devices so far; None: not counted."""
    for line in read_or(machine.proc / "self/io").splitlines():
        key, _, value = line.partition(": ")
        if key == "read_bytes" and value.isdecimal():
            return int(value)
    return None
