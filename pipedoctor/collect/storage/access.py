"""May the examined process write here? Asked and reckoned, never tried."""

import os
import stat
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.processes import read_status
from pipedoctor.facts import Mount


def check_writable(machine: Machine, folder: Path, mount: Mount | None) -> tuple[bool | None, str]:
    """
    Return whether it may create files in this folder, and why not; None: unknown.

    A read-only mount refuses root, too. Of another user's process only the mode bits
    are known here, and an access list may say otherwise. Raises OSError.
    """
    if mount is not None and "ro" in mount.options:
        return False, "the file system is mounted read-only"
    job = _read_credentials(machine)
    if machine.pid is None or job is None or job[0] == os.geteuid():
        if os.access(folder, os.W_OK | os.X_OK):
            return True, ""
        return False, f"user {os.geteuid()} may not write there"
    uid, groups = job
    seen = folder.stat()
    if uid == 0 or _mode_allows_write(seen, uid, groups):
        return True, ""
    if _has_access_list(folder):
        return None, "its access list decides"
    return False, f"user {uid} may not write there"


def _read_credentials(machine: Machine) -> tuple[int, frozenset[int]] | None:
    """User and groups of the examined process; None: not readable."""
    status = read_status(machine.process)
    if not status.uids[3:] or not status.gids[3:]:
        return None
    return status.uids[3], frozenset((status.gids[3], *status.groups))


def _mode_allows_write(status: os.stat_result, uid: int, groups: frozenset[int]) -> bool:
    """Owner, else group, else others: the first that fits decides (inode(7))."""
    if status.st_uid == uid:
        wanted = stat.S_IWUSR | stat.S_IXUSR
    elif status.st_gid in groups:
        wanted = stat.S_IWGRP | stat.S_IXGRP
    else:
        wanted = stat.S_IWOTH | stat.S_IXOTH
    return status.st_mode & wanted == wanted


def _has_access_list(folder: Path) -> bool:
    try:
        return bool(os.getxattr(folder, "system.posix_acl_access"))
    except OSError:
        return False
