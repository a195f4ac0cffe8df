"""
Open folders component by component, and tell whom each of them trusts.

A folder is trusted when it and all above it belong to its user or to root, and nobody
else can write to them. Above it, sticky folders (``/tmp``) and links that belong to its
user or to root are accepted; each component is opened relative to the one before, so
what was judged is what is used.
"""

import errno
import functools
import os
import stat
from collections import deque
from pathlib import Path

MAX_LINKS = 40
"""Links in one path, as in the kernel."""
IS_SUPPORTED = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
"""Can this system open files relative to a folder? Windows cannot."""
_SEARCH = getattr(os, "O_PATH", os.O_RDONLY)
"""Folders above need only be searched: a home may lie in one that cannot be listed."""
_FOLDER_FLAGS = (
    getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)
_UID_MAP, _OVERFLOW_UID = "/proc/self/uid_map", "/proc/sys/kernel/overflowuid"


class UntrustedError(OSError):
    """A folder or file that somebody else may have written; the message says which and why."""

    def __init__(self, path: str, why: str = "") -> None:
        super().__init__(f"{path} {why}" if why else path)
        self.why = why


class MissingHomeError(UntrustedError):
    """There is no home directory to keep anything in."""


def open_trusted(path: str, owner: int, *, create_below: str = "", mode: int = 0o700) -> int:
    """
    Open a folder that only `owner` and root can have written; raises OSError.

    `create_below` is a folder below which missing ones are created, with `mode`; empty:
    none is. UntrustedError names the component that cannot be trusted.
    """
    folder = os.open("/", _SEARCH | _FOLDER_FLAGS)
    there, rest, links = "/", deque(split_path(path)), 0
    place = there
    try:
        while rest:
            name = rest.popleft()
            place = os.path.normpath(f"{there.rstrip('/')}/{name}")
            status = _stat_or_create(folder, name, place, create_below, mode)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                _refuse_link(status, place, owner, links)
                target = os.readlink(name, dir_fd=folder)
                rest.extendleft(reversed(split_path(target)))
                if target.startswith("/"):
                    there, folder = "/", _step_into(folder, "/")
                continue
            there, folder = place, _step_into(folder, name)
            if why := explain_distrust(os.fstat(folder), owner, sticky=True):
                raise UntrustedError(there, why)
        return _step_into(folder, ".", os.O_RDONLY)
    except OSError as error:
        os.close(folder)
        raise _name_path(error, place) from None


def open_unlinked(path: str) -> int:
    """Open an absolute folder of which no component is a link; raises OSError."""
    folder = os.open("/", _SEARCH | _FOLDER_FLAGS)
    try:
        for name in split_path(path):
            folder = _step_into(folder, name)
        return _step_into(folder, ".", os.O_RDONLY)
    except OSError as error:
        os.close(folder)
        raise _name_path(error, path) from None


def explain_distrust(status: os.stat_result, owner: int, *, sticky: bool = False) -> str:
    """
    Why a folder or file may have been written by somebody else; empty: it was not.

    `sticky`: a sticky folder, where nobody can replace what is another's, will do.
    """
    if status.st_uid not in {0, owner} and not _is_unmapped(status.st_uid):
        return f"belongs to user {status.st_uid}"
    if sticky and stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return "can be written by everybody"
    if status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid, owner):
        return f"can be written by group {status.st_gid}"
    return ""


def split_path(path: str) -> list[str]:
    """The names in a path, without empty ones and ``.``."""
    return [part for part in path.split("/") if part not in {"", "."}]


def _step_into(folder: int, name: str, flags: int = _SEARCH) -> int:
    """Open a folder in this one, which is closed once that is done."""
    inner = os.open(name, flags | _FOLDER_FLAGS, dir_fd=folder)
    os.close(folder)
    return inner


def _stat_or_create(
    folder: int, name: str, place: str, create_below: str, mode: int
) -> os.stat_result:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if not create_below or os.path.commonpath((create_below, place)) != create_below:
            raise
    try:
        os.mkdir(name, mode, dir_fd=folder)
    except FileExistsError:  # another process was quicker
        pass
    else:
        _sync_parent(folder)
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _sync_parent(folder: int) -> None:
    try:
        readable = os.open(".", os.O_RDONLY | _FOLDER_FLAGS, dir_fd=folder)
    except PermissionError:  # it may be searched only
        return
    try:
        os.fsync(readable)
    finally:
        os.close(readable)


def _refuse_link(status: os.stat_result, place: str, owner: int, links: int) -> None:
    if status.st_uid not in {0, owner} and not _is_unmapped(status.st_uid):
        raise UntrustedError(place, f"is a link that belongs to user {status.st_uid}")
    if links > MAX_LINKS:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _name_path(error: OSError, path: str) -> OSError:
    """The same error with the path in it, for `os.open` of one name tells only that."""
    if isinstance(error, UntrustedError):
        return error
    return OSError(error.errno, error.strerror, path)


def _is_private_group(group: int, owner: int) -> bool:
    """
    Is it the group of this user alone, as many systems make one for each?

    Never for root, whose groups have a meaning of their own.
    """
    if not owner:
        return False
    import grp  # noqa: PLC0415  (rarely needed; Windows has neither)
    import pwd  # noqa: PLC0415

    try:
        user, members = pwd.getpwuid(owner), grp.getgrgid(group)
    except KeyError:
        return False
    same = user.pw_gid == group and members.gr_name == user.pw_name
    return same and not set(members.gr_mem) - {user.pw_name}


@functools.cache
def find_unmapped_uid() -> int | None:
    """
    The number that stands for users outside of this user namespace; None: there are none.

    In a container of an ordinary user, the folders of the host's root show it.
    """
    try:
        rows = [row.split() for row in Path(_UID_MAP).read_text(encoding="ascii").splitlines()]
        overflow = int(Path(_OVERFLOW_UID).read_text(encoding="ascii"))
        ranges = [(int(inside), int(count)) for inside, _, count in rows]
    except (OSError, ValueError):
        return None
    covered = any(begin <= overflow < begin + count for begin, count in ranges)
    return None if covered or not ranges else overflow


def _is_unmapped(uid: int) -> bool:
    return uid == find_unmapped_uid()
