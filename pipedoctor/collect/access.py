"""May the examined process write here? Asked and reckoned, never tried."""

import os
import stat
from pathlib import Path

from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.facts import Mount


def writable(
    machine: Machine, folder: Path, mount: Mount | None
) -> tuple[bool | None, str]:
    """
    Whether it may make files in this folder, and why not; None: nobody can say.

    A read-only mount refuses root, too. Of another user's process only the mode bits
    are known here, and an access list may say otherwise. Raises OSError.
    """
    if mount is not None and "ro" in mount.options:
        return False, "the file system is mounted read-only"
    job = _credentials(machine)
    if machine.pid is None or job is None or job[0] == os.geteuid():
        if os.access(folder, os.W_OK | os.X_OK):
            return True, ""
        return False, f"user {os.geteuid()} may not write there"
    uid, groups = job
    seen = folder.stat()
    if uid == 0 or _allowed(seen, uid, groups):
        return True, ""
    if _has_access_list(folder):
        return None, "its access list decides"
    return False, f"user {uid} may not write there"


def _credentials(machine: Machine) -> tuple[int, frozenset[int]] | None:
    """User and groups of the examined process; None: not readable."""
    fields: dict[str, list[str]] = {}
    for line in read_or(machine.process / "status").splitlines():
        key, _, value = line.partition(":")
        fields[key] = value.split()
    uids, gids = fields.get("Uid", []), fields.get("Gid", [])
    if len(uids) < 4 or len(gids) < 4:  # noqa: PLR2004  (real, effective, saved, fs)
        return None
    groups = map(int, [gids[3], *fields.get("Groups", [])])
    return int(uids[3]), frozenset(groups)


def _allowed(seen: os.stat_result, uid: int, groups: frozenset[int]) -> bool:
    """Owner, else group, else others: the first that fits decides (inode(7))."""
    if seen.st_uid == uid:
        wanted = stat.S_IWUSR | stat.S_IXUSR
    elif seen.st_gid in groups:
        wanted = stat.S_IWGRP | stat.S_IXGRP
    else:
        wanted = stat.S_IWOTH | stat.S_IXOTH
    return seen.st_mode & wanted == wanted


def _has_access_list(folder: Path) -> bool:
    try:
        return bool(os.getxattr(folder, "system.posix_acl_access"))
    except OSError:
        return False
