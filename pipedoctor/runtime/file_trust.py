"""
Who else could have written a file: its owner, its folder, the links that lead to it.

The rule of git's ``safe.directory``: what another user can write is data, and nothing in
it is obeyed. root counts as trusted, for it needs no file to have its way.
"""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.runtime.regular_file import open_regular, read_descriptor, read_start
from pipedoctor.runtime.trusted_path import find_unmapped_uid

_MAX_LINKS = 40
_MAX_ACCOUNT_BYTES = 4 << 20


def list_trusted_users(*, sudo: bool = False) -> frozenset[int]:
    """
    Return the user ids whose files are trusted: this user's and root's.

    `sudo`: for root also that of the user who called sudo, as git has it.
    """
    if not hasattr(os, "geteuid"):
        return frozenset()
    users = {0, os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if sudo and os.geteuid() == 0 and caller.isdecimal() and caller.isascii():
        users.add(int(caller[:10]))
    return frozenset(users)


def read_judged(
    path: Path, users: frozenset[int], max_bytes: int, *, all_folders: bool = False
) -> tuple[bytes, str]:
    """
    Open a regular file, judge it as `find_distrust` does, then read its start from there.

    Returns what it holds, and why others could have written it. Raises OSError.
    """
    descriptor = open_regular(path)
    try:
        reason = find_distrust(
            path, users, all_folders=all_folders, open_status=os.fstat(descriptor)
        )
        return read_descriptor(descriptor, max_bytes), reason
    finally:
        os.close(descriptor)


def find_distrust(
    path: Path,
    users: frozenset[int],
    *,
    all_folders: bool = False,
    open_status: os.stat_result | None = None,
) -> str:
    """
    Say why others could have written this file; empty: none but `users` could.

    What has `open_status` must still be the file of this name.

    The file, its folder and every link on the way must be of `users`, file and folder
    not writable by others (a folder with the sticky bit may be). With `all_folders` that
    goes for every folder above as well. Raises OSError.
    """
    if not users:
        return ""  # no user ids on this system
    folders: list[Path] = []
    for place in _walk_components(path):
        status = place.lstat()
        if stat.S_ISDIR(status.st_mode):
            folders.append(place)
        elif status.st_uid not in users:
            return f"{_name_entry(place, path)} belongs to {_name_user(status.st_uid)}"
        elif open_status is not None and _is_other_file(status, open_status):
            return "it was replaced while it was read"
        elif stat.S_ISREG(status.st_mode) and _is_shared(place, status):
            return f"others can write to {_name_entry(place, path)}"
    judged = folders if all_folders else folders[-1:]
    return next(filter(None, (_judge_folder(folder, users) for folder in judged)), "")


def refuse_planted_link(path: str) -> None:
    """
    Raise OSError if a link on the way to a file was laid by another user into a sticky folder.

    The kernel refuses to follow these (fs.protected_symlinks, where that is on); whoever
    resolves a path himself has to refuse them, too.
    """
    users = {*list_trusted_users(), find_unmapped_uid()}
    for place in _walk_components(Path.cwd() / path):
        if place.is_symlink():
            owner, folder = place.lstat().st_uid, place.parent.stat()
            shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
            if shared and owner not in {*users, folder.st_uid}:
                message = f"{place} is a link that belongs to {_name_user(owner)}"
                raise OSError(message)


def _is_other_file(status: os.stat_result, open_status: os.stat_result) -> bool:
    """Links on the way are no files."""
    return not stat.S_ISLNK(status.st_mode) and not os.path.samestat(status, open_status)


def _walk_components(path: Path) -> Iterator[Path]:
    """Each folder and link on the way to a file, and the file, as the kernel walks."""
    place = Path(path.anchor)
    waiting = list(reversed(path.parts[1:]))
    links = 0
    yield place
    while waiting:
        part = waiting.pop()
        if part == os.pardir:
            place = place.parent
            yield place
            continue
        step = place / part
        yield step
        if not step.is_symlink():
            place = step
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = step.readlink()
        place = Path(target.anchor) if target.is_absolute() else place
        waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)


def _name_entry(place: Path, path: Path) -> str:
    return "it" if place == path else str(place)


def _judge_folder(folder: Path, users: frozenset[int]) -> str:
    status = folder.stat()
    if status.st_uid not in users:
        return f"its folder {folder} belongs to {_name_user(status.st_uid)}"
    if status.st_mode & stat.S_ISVTX:
        return ""
    return f"others can write to its folder {folder}" if _is_shared(folder, status) else ""


def _is_shared(path: Path, status: os.stat_result) -> bool:
    """
    Can somebody else write to it?

    A group of which its owner is the only member is nobody else (umask 002). Where an
    access list is set, the bits of the group say nothing of the group alone.
    """
    if status.st_mode & stat.S_IWOTH:
        return True
    if not status.st_mode & stat.S_IWGRP:
        return False
    return _has_access_list(path) or not _is_private_group(status.st_gid, status.st_uid)


def _has_access_list(path: Path) -> bool:
    try:
        return "system.posix_acl_access" in os.listxattr(path)
    except (AttributeError, OSError):
        return False


def _is_private_group(gid: int, uid: int) -> bool:
    """Read from the local files; a directory server is not asked, and then nobody knows."""
    groups = [row for row in _read_accounts("/etc/group") if row[2:3] == [str(gid)]]
    users = _read_accounts("/etc/passwd")
    names = {row[0] for row in users if row[2:3] == [str(uid)]}
    others = [row for row in users if row[3:4] == [str(gid)] and row[2] != str(uid)]
    members = {name for row in groups for name in row[-1].split(",") if name}
    return bool(groups) and not others and members <= names


def _read_accounts(path: str) -> list[list[str]]:
    try:
        text = read_start(path, _MAX_ACCOUNT_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return []
    return [line.split(":") for line in text.splitlines()]


def _name_user(uid: int) -> str:
    names = (row[0] for row in _read_accounts("/etc/passwd") if row[2:3] == [str(uid)])
    name = next(names, "")
    return f"user {name}" if name else f"user id {uid}"
