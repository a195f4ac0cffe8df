"""
One report a node and not a rank: which of the processes on a node examines it.

Launchers tell each process its rank on the node. Where none does, the first to lock a
file in the node's own /dev/shm does it. Ranks never talk to each other.
"""

import contextlib
import hashlib
import os
import stat
import sys
import time
from collections.abc import Generator, Mapping
from pathlib import Path

from pipedoctor.collect.machine import read_or_default
from pipedoctor.runtime import files
from pipedoctor.units import parse_count

if sys.platform == "linux":
    import fcntl

RANK_VARIABLES = (
    "SLURM_LOCALID",
    "LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "PMI_LOCAL_RANK",
    "PMIX_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "FLUX_TASK_LOCAL_ID",
    "JSM_NAMESPACE_LOCAL_RANK",
)
"""Slurm, torchrun, OpenMPI, Hydra and other PMIs, Cray, MVAPICH, Flux, LSF."""
LOCK_FOLDER = "/dev/shm"
_LOCK_BYTES = 64
_START_TIME_FIELD = 19
"""Of /proc/PID/stat behind the name, which may hold blanks: field 22."""


def get_local_rank(environ: Mapping[str, str]) -> int | None:
    """
    The rank on this node as launchers tell it; None: none does.

    Launchers nest (`srun torchrun`): only the first process of each is the first.
    """
    values = (environ.get(name, "") for name in RANK_VARIABLES)
    ranks = (parse_count(text) for text in values)
    return max((rank for rank in ranks if rank is not None), default=None)


@contextlib.contextmanager
def elect_process(
    environ: Mapping[str, str], target: str, node: str = ""
) -> Generator[bool, None, None]:
    """
    Is it this process that writes the report of `node` to `target`?

    Without a rank it is the first one to get the lock; a process that began before
    the holder was done belongs to the same launch, and leaves it at that.
    """
    rank = get_local_rank(environ)
    if rank is not None or sys.platform != "linux":
        yield not rank
        return
    descriptor = _open_lock_file(environ, f"{node} {target}")
    if descriptor is None:  # nothing can be locked: better twice than never
        yield True
        return
    try:
        mine = _try_lock(descriptor) and not _was_done_since(descriptor, _read_start_time())
        yield mine
        if mine:
            done = f"{_read_boot_id()} {time.clock_gettime(time.CLOCK_BOOTTIME):.2f}"
            os.pwrite(descriptor, done.ljust(_LOCK_BYTES).encode(), 0)
    finally:
        os.close(descriptor)


def _open_lock_file(environ: Mapping[str, str], what: str) -> int | None:
    key = hashlib.sha256(f"{os.getuid()} {what}".encode(errors="replace"))
    name = f".pipedoctor-fleet-{key.hexdigest()[:16]}"
    for folder in (LOCK_FOLDER, environ.get("TMPDIR", ""), "/tmp"):
        if folder:
            with contextlib.suppress(OSError):
                files.require_answer(folder)
                return _open_own_file(Path(folder) / name)
    return None


def _open_own_file(path: Path) -> int:
    """Open a file that only this user can have made; OSError: another user laid it there."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid() and status.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    message = f"{path} is not a file of this user"
    raise OSError(message)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _was_done_since(descriptor: int, began: float) -> bool:
    """Was another process done with it after this one had begun, since the boot?"""
    boot, _, done = os.pread(descriptor, _LOCK_BYTES, 0).decode(errors="replace").partition(" ")
    with contextlib.suppress(ValueError):
        return boot == _read_boot_id() and float(done) >= began
    return False


def _read_start_time() -> float:
    """Seconds from the boot to the start of this process, to a hundredth."""
    after_name = read_or_default(Path("/proc/self/stat")).rpartition(")")[2].split()
    ticks = int(after_name[_START_TIME_FIELD]) if len(after_name) > _START_TIME_FIELD else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def _read_boot_id() -> str:
    return read_or_default(Path("/proc/sys/kernel/random/boot_id")).strip()
