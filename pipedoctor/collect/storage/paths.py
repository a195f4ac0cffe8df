"""Look at the places that a job reads and writes; nothing is ever written there."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path, find_mount, mounts
from pipedoctor.collect.named_folders import PathRequest
from pipedoctor.collect.storage.access import check_writable
from pipedoctor.collect.storage.clearable import list_caches, list_old_checkpoints
from pipedoctor.collect.storage.disks import find_disks
from pipedoctor.collect.symlinks import resolve_links
from pipedoctor.facts import Clearable, PathFact, UnreadableError
from pipedoctor.runtime import files
from pipedoctor.runtime.lanes import Announce
from pipedoctor.units import GiB, MiB

CACHE_VARIABLES = (
    "XDG_CACHE_HOME",
    "TORCH_HOME",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_DATASETS_CACHE",
    "MPLCONFIGDIR",
    "TRITON_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCH_EXTENSIONS_DIR",
    "NUMBA_CACHE_DIR",
    "CUDA_CACHE_PATH",
)
"""Variables that name a folder in which a library of a pipeline keeps its cache."""
_UNCOUNTED_INODES = 1 << 62
"""CephFS and some FUSE file systems report -1 free inodes: they do not count them."""


def list_path_requests(machine: Machine) -> tuple[PathRequest, ...]:
    """The places of the examined job, from its environment alone: no I/O here."""
    if machine.system == "win32":
        return ()
    named: dict[tuple[str, str], list[str]] = {}
    for role, path, named_by in _iter_places(machine):
        named.setdefault((role, path), []).append(named_by)
    return tuple(
        PathRequest(role=role, path=path, named_by=", ".join(names))
        for (role, path), names in named.items()
    )


def path(machine: Machine, place: PathRequest, announce: Announce) -> PathFact:
    """Examine one place; announces each call before it, for it may hang."""
    known: dict[str, Any] = {"path": escape_path(place.path)}
    if machine.system == "win32":
        message = "paths are examined on Linux and macOS only"
        raise UnreadableError(message)
    try:
        _examine_place(machine, place, announce, known)
    except OSError as error:
        known |= build_error_fields(error)
    return PathFact(role=place.role, named_by=place.named_by, **known)


def build_error_fields(error: OSError) -> dict[str, str]:
    """Describe an error of the system: its text and its code."""
    code = errno.errorcode.get(error.errno or 0, "")
    missing = code in {"ENOENT", "ENOTDIR"}
    words = "no such directory" if missing else files.describe_error(error)
    return {"error": words, "error_code": code}


def make_absolute(machine: Machine, path: str, announce: Announce) -> str:
    """
    Make the path absolute from its text and the job's folders alone.

    Raises OSError where the working directory is gone.
    """
    if path == "~" or path.startswith("~/"):
        announce("look up the home directory")
        return _find_home(machine) + path[1:]
    if path == "." and machine.pid is not None:
        return str((machine.process / "cwd").readlink())
    return path if path.startswith("/") else os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118


def _find_home(machine: Machine) -> str:
    """The home that libraries fall back to when HOME is not set: passwd's."""
    import pwd  # noqa: PLC0415  (absent on Windows)

    try:
        return pwd.getpwuid(machine.process.stat().st_uid).pw_dir
    except KeyError:
        raise OSError(errno.ENOENT, "HOME is not set, and passwd has none") from None


def _iter_places(machine: Machine) -> Iterator[tuple[str, str, str]]:
    environ = machine.environ
    home = environ.get("HOME", "").rstrip("/") or ("/" if environ.get("HOME") else "")
    yield "cwd", _get_cwd(machine), "working directory"
    yield "home", home or "~", "HOME" if home else "passwd"
    tmp = next((n for n in ("TMPDIR", "TEMP", "TMP") if environ.get(n)), "")
    yield "tmp", environ[tmp] if tmp else "/tmp", tmp or "default"
    if scratch := environ.get("SLURM_TMPDIR"):
        yield "scratch", scratch, "SLURM_TMPDIR"
    if tmp and environ[tmp].rstrip("/") != "/tmp":
        yield "scratch", "/tmp", "default"
    if not environ.get("XDG_CACHE_HOME", "").startswith("/"):
        yield "cache", os.path.join(home or "~", ".cache"), "default"  # noqa: PTH118
    for name in CACHE_VARIABLES:
        path = environ.get(name, "")
        if home and path.startswith("~/"):
            path = home + path[1:]
        if path.startswith(("/", "~")):
            yield "cache", path, name


def _get_cwd(machine: Machine) -> str:
    """The working directory; of another process, and of one that is gone: ``.``."""
    try:
        return "." if machine.pid is not None else os.getcwd()  # noqa: PTH109
    except OSError:
        return "."


def _examine_place(
    machine: Machine, place: PathRequest, announce: Announce, details: dict[str, Any]
) -> None:
    """Fill `details` step by step, so that an error keeps what was known before."""
    full = make_absolute(machine, place.path, announce)
    table = mounts(machine)
    details |= {"path": escape_path(full), "mount": find_mount(full, table)}
    real = resolve_links(machine, full, announce)
    mount = find_mount(real, table)
    details |= {"real": escape_path(real), "mount": mount}
    if mount and place.role in {"tmp", "scratch"}:
        details["disks"] = tuple(find_disks(machine, mount, table).disks)
    nearest, mode = _find_nearest(machine, real, announce)
    details["exists"] = nearest == real
    if place.role == "data" and nearest != real:
        raise FileNotFoundError(errno.ENOENT, "no such directory")
    announce(f"access {escape_path(nearest)}")
    may, why = check_writable(machine, machine.map_path(nearest), mount)
    if may and place.role != "data" and not stat.S_ISDIR(mode):
        may, why = False, f"{escape_path(nearest)} is not a directory"
    details |= {"writable": may, "why_not_writable": why}
    announce(f"statvfs {escape_path(nearest)}")
    details |= _measure_space(machine.map_path(nearest))
    if _is_short(details):
        details["clearable"] = tuple(_list_clearable(machine, place.role, nearest, announce))


def _is_short(space: dict[str, Any]) -> bool:
    """Is there so little room that a job may need what caches hold?"""
    free, inodes = space.get("free"), space.get("inodes_free")
    short = free is not None and free < max(min(GiB, space["size"] // 20), MiB)
    return short or (inodes is not None and inodes < min(10_000, space["inodes"] // 20))


def _list_clearable(
    machine: Machine, role: str, folder: str, announce: Announce
) -> list[Clearable]:
    """Caches on the file system of a home or a cache; checkpoints of the working directory."""
    here = machine.map_path(folder)
    if role == "cwd":
        return list_old_checkpoints(here, announce)
    if role not in {"home", "cache"}:
        return []
    home = machine.environ.get("HOME", "").rstrip("/") or _find_home(machine)
    return list_caches(machine, home, here.stat().st_dev, announce)


def _find_nearest(machine: Machine, path: str, announce: Announce) -> tuple[str, int]:
    """The path, or the nearest folder above it that exists; and its mode."""
    while True:
        announce(f"stat {escape_path(path)}")
        try:
            return path, machine.map_path(path).stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            if path == "/":
                raise
            path = path.rpartition("/")[0] or "/"


def _measure_space(path: Path) -> dict[str, Any]:
    """Measure bytes and inodes; empty where the file system reports none."""
    seen = os.statvfs(path)
    if not seen.f_blocks:
        return {}
    counted = bool(seen.f_files) and seen.f_favail < _UNCOUNTED_INODES
    return {
        "size": seen.f_blocks * seen.f_frsize,
        "free": seen.f_bavail * seen.f_frsize,
        "inodes": seen.f_files if counted else None,
        "inodes_free": seen.f_favail if counted else None,
        "unlimited_inodes": not counted,
    }
