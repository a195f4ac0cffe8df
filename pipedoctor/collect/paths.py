"""Look at the places that a job reads and writes; nothing is ever written there."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipedoctor.collect.access import writable
from pipedoctor.collect.disks import under
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible, mount_of, mounts
from pipedoctor.collect.resolve import resolve
from pipedoctor.facts import PathFact, Unreadable

if TYPE_CHECKING:
    from pipedoctor.collect.plan import Place

CACHES = (
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
_NEVER = 1 << 62
"""CephFS and some FUSE file systems report -1 free inodes: they do not count them."""


def places(machine: Machine) -> "tuple[Place, ...]":
    """The places of the examined job, from its environment alone: no I/O here."""
    from pipedoctor.collect.plan import Place  # noqa: PLC0415  (it imports us)

    if machine.system == "win32":
        return ()
    named: dict[tuple[str, str], list[str]] = {}
    for role, path, named_by in _named(machine):
        named.setdefault((role, path), []).append(named_by)
    return tuple(
        Place(role=role, path=path, named_by=", ".join(names))
        for (role, path), names in named.items()
    )


def path(machine: Machine, place: "Place", announce: Announce) -> PathFact:
    """Examine one place; announces each call before it, for it may hang."""
    known: dict[str, Any] = {"path": legible(place.path)}
    if machine.system == "win32":
        message = "places are only examined on Linux and macOS"
        raise Unreadable(message)
    try:
        _look(machine, place, announce, known)
    except OSError as error:
        known |= failure(error)
    return PathFact(role=place.role, named_by=place.named_by, **known)


def failure(error: OSError) -> dict[str, str]:
    """What an error of the system says, for a person and for a check."""
    code = errno.errorcode.get(error.errno or 0, "")
    missing = code in {"ENOENT", "ENOTDIR"}
    words = "no such directory" if missing else (error.strerror or str(error))
    return {"error": words, "error_code": code}


def absolute(machine: Machine, path: str, announce: Announce) -> str:
    """
    The path from the root, as far as text and the job's own folders tell.

    Raises OSError where the working directory is gone.
    """
    if path == "~" or path.startswith("~/"):
        announce("look up the home directory")
        return _home(machine) + path[1:]
    if path == "." and machine.pid is not None:
        return str((machine.process / "cwd").readlink())
    return path if path.startswith("/") else os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118


def _home(machine: Machine) -> str:
    """The home that libraries fall back to when HOME is not set: passwd's."""
    import pwd  # noqa: PLC0415  (absent on Windows)

    try:
        return pwd.getpwuid(machine.process.stat().st_uid).pw_dir
    except KeyError:
        raise OSError(errno.ENOENT, "HOME is not set, and passwd has none") from None


def _named(machine: Machine) -> Iterator[tuple[str, str, str]]:
    environ = machine.environ
    home = environ.get("HOME", "").rstrip("/") or ("/" if environ.get("HOME") else "")
    yield "cwd", _cwd(machine), "working directory"
    yield "home", home or "~", "HOME" if home else "passwd"
    tmp = next((n for n in ("TMPDIR", "TEMP", "TMP") if environ.get(n)), "")
    yield "tmp", environ[tmp] if tmp else "/tmp", tmp or "default"
    if scratch := environ.get("SLURM_TMPDIR"):
        yield "scratch", scratch, "SLURM_TMPDIR"
    if tmp and environ[tmp].rstrip("/") != "/tmp":
        yield "scratch", "/tmp", "default"
    if not environ.get("XDG_CACHE_HOME", "").startswith("/"):
        yield "cache", os.path.join(home or "~", ".cache"), "default"  # noqa: PTH118
    for name in CACHES:
        path = environ.get(name, "")
        if home and path.startswith("~/"):
            path = home + path[1:]
        if path.startswith(("/", "~")):
            yield "cache", path, name


def _cwd(machine: Machine) -> str:
    """The working directory; of another process, and of one that is gone: ``.``."""
    try:
        return "." if machine.pid is not None else os.getcwd()  # noqa: PTH109
    except OSError:
        return "."


def _look(
    machine: Machine, place: "Place", announce: Announce, known: dict[str, Any]
) -> None:
    """Fill `known` step by step, so that an error keeps what was known before."""
    full = absolute(machine, place.path, announce)
    table = mounts(machine)
    known |= {"path": legible(full), "mount": mount_of(full, table)}
    real = resolve(machine, full, announce)
    mount = mount_of(real, table)
    known |= {"real": legible(real), "mount": mount}
    if mount and place.role in {"tmp", "scratch"}:
        known["disks"] = tuple(under(machine, mount, table).disks)
    nearest, mode = _nearest(machine, real, announce)
    known["exists"] = nearest == real
    if place.role == "data" and nearest != real:
        raise FileNotFoundError(errno.ENOENT, "no such directory")
    announce(f"access {legible(nearest)}")
    may, why = writable(machine, machine.inside(nearest), mount)
    if may and place.role != "data" and not stat.S_ISDIR(mode):
        may, why = False, f"{legible(nearest)} is not a directory"
    known |= {"writable": may, "why_not_writable": why}
    announce(f"statvfs {legible(nearest)}")
    known |= _room(machine.inside(nearest))


def _nearest(machine: Machine, path: str, announce: Announce) -> tuple[str, int]:
    """The path, or the nearest folder above it that exists; and its mode."""
    while True:
        announce(f"stat {legible(path)}")
        try:
            return path, machine.inside(path).stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            if path == "/":
                raise
            path = path.rpartition("/")[0] or "/"


def _room(path: Path) -> dict[str, Any]:
    """Bytes and inodes; a file system that reports none of them has not said any."""
    seen = os.statvfs(path)
    if not seen.f_blocks:
        return {}
    counted = bool(seen.f_files) and seen.f_favail < _NEVER
    return {
        "size": seen.f_blocks * seen.f_frsize,
        "free": seen.f_bavail * seen.f_frsize,
        "inodes": seen.f_files if counted else None,
        "inodes_free": seen.f_favail if counted else None,
        "unlimited_inodes": not counted,
    }
