"""Which processes belong to a job: mains, one a rank, their workers, and the rest."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pipedoctor.collect.machine import read_or_default
from pipedoctor.facts import UnreadableError
from pipedoctor.tune.target.process_tree import find_tree
from pipedoctor.units import parse_count
from pipedoctor.watch.system.process_counters import find_number, read_process_file

WORKER_NAME = "pt_data_worker"
_HELPER_MODULES = (
    b"multiprocessing.resource_tracker",
    b"multiprocessing.forkserver",
    b"multiprocessing.semaphore_tracker",
)
_SERVER = b"multiprocessing.forkserver"
_AFTER_NAME, _START_FIELD = 2, 19
_YOUNG_SECONDS = 2.0
"""A fork this young may be about to become a worker, which has no name of its own yet."""
_SPAWNED = b"multiprocessing.spawn"
_MAX_STARTING_SECONDS = 120.0
"""In which a process that multiprocessing has started imports, and gets its name."""
_MAX_PROCESSES = 4096
_MAX_ANCESTORS = 64


class JobProcess(msgspec.Struct, frozen=True):
    """One process of a job."""

    pid: int
    parent: int
    name: str
    role: str
    """``main``, ``worker``, ``helper``."""
    main: int = 0
    rank: int | None = None
    world: int | None = None
    is_starting: bool = False
    """It was spawned just now, or by a fork server, and may become a worker."""


class _ProcessRow(msgspec.Struct, frozen=True):
    pid: int
    parent: int
    name: str
    command: bytes
    python: bool
    started: int
    """Clock ticks after the machine was started."""


def list_job_processes(root: int, proc: Path = Path("/proc")) -> list[JobProcess]:
    """
    The processes of the job that this process belongs to or leads.

    Raises UnreadableError where there is no such process. A worker's job is that of the
    process that started it; the number of a thread stands for its process.
    """
    if not (proc / str(root)).exists():
        message = f"no process has the PID {root}"
        raise UnreadableError(message)
    status = read_process_file(f"{proc}/{root}/status")
    root = _find_leader(find_number(status, "\nTgid:") or root, proc)
    found = (find_tree(root) if proc == Path("/proc") else _list_descendants(root, proc)) | {root}
    rows = {pid: row for pid in sorted(found)[:_MAX_PROCESSES] if (row := _read_row(pid, proc))}
    return _classify_processes(root, rows, proc)


def find_torch_jobs(proc: Path = Path("/proc")) -> list[int]:
    """
    Every process of this user that has workers of a loader, or torch, and leads.

    Workers whose main process has died lead nothing.
    """
    user = os.geteuid()
    found: list[int] = []
    for name in os.listdir(proc):  # noqa: PTH208  (twice as fast)
        if not name.isdecimal() or int(name) == os.getpid():
            continue
        folder = proc / name
        try:
            mine = not user or folder.stat().st_uid == user
        except OSError:
            continue
        if mine and "libtorch" in read_or_default(folder / "maps"):
            found.append(int(name))
    above = _list_ancestors(os.getpid(), proc)
    leaders = {_find_leader(pid, proc) for pid in found if pid not in above}
    leaders = {pid for pid in leaders if not _is_orphan(pid, proc)}
    return sorted(pid for pid in leaders if not _list_ancestors(pid, proc) & leaders)


def _find_leader(pid: int, proc: Path) -> int:
    """Of a worker, the process that trains; of any other process, itself."""
    for _ in range(_MAX_ANCESTORS):
        row = _read_row(pid, proc)
        if row is None or not (row.name == WORKER_NAME or _is_helper(row.command)):
            break
        if row.parent <= 1:
            break
        pid = row.parent
    return pid


def _is_orphan(pid: int, proc: Path) -> bool:
    row = _read_row(pid, proc)
    return row is None or row.name == WORKER_NAME or _is_helper(row.command)


def _list_ancestors(pid: int, proc: Path) -> set[int]:
    found: set[int] = set()
    row = _read_row(pid, proc)
    while row is not None and row.parent > 1 and len(found) < _MAX_ANCESTORS:
        found.add(row.parent)
        row = _read_row(row.parent, proc)
    return found


def _list_descendants(root: int, proc: Path) -> set[int]:
    """Descendants by everybody's parent."""
    parents = {
        int(name): row.parent
        for name in os.listdir(proc)  # noqa: PTH208
        if name.isdecimal() and (row := _read_row(int(name), proc))
    }
    found, new = set[int](), {root}
    while new:
        found |= new
        new = {pid for pid, parent in parents.items() if parent in new} - found
    return found


def _read_row(pid: int, proc: Path) -> _ProcessRow | None:
    folder = f"{proc}/{pid}"
    stat = read_process_file(f"{folder}/stat")
    if ")" not in stat:
        return None
    name = stat[stat.index("(") + 1 : stat.rindex(")")]
    fields = stat[stat.rindex(")") + _AFTER_NAME :].split()
    parent, started = int(fields[1]), int(fields[_START_FIELD])
    command = read_process_file(f"{folder}/cmdline").encode("utf-8", "replace")
    first = command.split(b"\0")[0].rpartition(b"/")[2]
    python = b"python" in first or "python" in name or name == WORKER_NAME
    python = python or _is_python_program(pid, proc)
    return _ProcessRow(pid, parent, name, command, python, started)


def _is_python_program(pid: int, proc: Path) -> bool:
    """A program of another name, such as a console script, that Python runs."""
    try:
        return "python" in (proc / str(pid) / "exe").readlink().name
    except OSError:
        return False


def _is_helper(command: bytes) -> bool:
    return any(word in command for word in _HELPER_MODULES)


def _classify_processes(root: int, rows: dict[int, _ProcessRow], proc: Path) -> list[JobProcess]:
    workers = {pid for pid, row in rows.items() if row.name == WORKER_NAME}
    owners = {pid: _find_owner(pid, rows) for pid in workers}
    mains = _find_mains(root, rows, workers, set(owners.values()), proc)
    members: list[JobProcess] = []
    for pid, row in rows.items():
        role = "worker" if pid in workers else "main" if pid in mains else "helper"
        main = owners.get(pid) or (pid if pid in mains else _find_owner(pid, rows))
        rank, world = mains.get(main, (None, None))
        starts = role == "helper" and _is_starting(row, rows, proc)
        members.append(JobProcess(pid, row.parent, row.name, role, main, rank, world, starts))
    return members


def _find_owner(pid: int, rows: dict[int, _ProcessRow]) -> int:
    """The nearest process above that is no worker and no server of forks."""
    row = rows.get(pid)
    for _ in range(_MAX_ANCESTORS):
        row = rows.get(row.parent) if row else None
        if row is None:
            return 0
        if row.name != WORKER_NAME and not _is_helper(row.command):
            return row.pid
    return 0


def _find_mains(
    root: int,
    rows: dict[int, _ProcessRow],
    workers: set[int],
    owners: Iterable[int],
    proc: Path,
) -> dict[int, tuple[int | None, int | None]]:
    """Processes that train: those with workers or a rank, else those with torch."""
    pythons = [
        pid
        for pid, row in rows.items()
        if pid not in workers and row.python and not _is_helper(row.command)
    ]
    ranks = {pid: _read_rank(pid, proc) for pid in pythons}
    owners = set(owners)
    below = {pid: _select_descendants(pid, pythons, rows) for pid in pythons}
    ranked = [pid for pid in pythons if ranks[pid][0] is not None]
    if ranked:  # what a rank starts inherits its variables
        inherited = {p for pid in ranked for p in below[pid]}
        chosen = [p for p in ranked if p not in inherited or p in owners]
    else:
        chosen = [pid for pid in pythons if pid in owners]
    if not chosen:
        grown = [pid for pid in pythons if not _is_young_fork(pid, rows, proc)]
        torch = {pid for pid in grown if "libtorch" in read_or_default(proc / f"{pid}/maps")}
        chosen = [pid for pid in pythons if pid in torch and not below[pid] & torch]
    chosen = chosen or [root]
    return {pid: ranks.get(pid, (None, None)) for pid in chosen}


def _is_young_fork(pid: int, rows: dict[int, _ProcessRow], proc: Path) -> bool:
    """Was it forked just now, by a process of this job that runs the same command?"""
    row = rows[pid]
    above = rows.get(row.parent)
    if above is None or above.command != row.command:
        return False
    return _compute_age(row, proc) < _YOUNG_SECONDS


def _compute_age(row: _ProcessRow, proc: Path) -> float:
    """Seconds since it was started."""
    uptime = read_or_default(proc / "uptime").split()
    now = float(uptime[0]) if uptime else 0.0
    return now - row.started / os.sysconf("SC_CLK_TCK")


def _is_starting(row: _ProcessRow, rows: dict[int, _ProcessRow], proc: Path) -> bool:
    """Does it still import what multiprocessing has started it for?"""
    above = rows.get(row.parent)
    forked = _SERVER in row.command and above is not None and _SERVER in above.command
    return (forked or _SPAWNED in row.command) and (_compute_age(row, proc) < _MAX_STARTING_SECONDS)


def _select_descendants(pid: int, pids: list[int], rows: dict[int, _ProcessRow]) -> set[int]:
    """Which of these processes this one has started, through others or not."""
    found: set[int] = set()
    for other in pids:
        row = rows.get(other)
        for _ in range(_MAX_ANCESTORS):
            row = rows.get(row.parent) if row else None
            if row is None:
                break
            if row.pid == pid:
                found.add(other)
                break
    return found


def _read_rank(pid: int, proc: Path) -> tuple[int | None, int | None]:
    """RANK and WORLD_SIZE as it was started with, by torchrun or Slurm."""
    try:
        text = (proc / str(pid) / "environ").read_bytes()
    except OSError:
        return None, None
    rows = (entry.partition(b"=") for entry in text.split(b"\0"))
    pairs = {name: value for name, _, value in rows}
    rank, world = (
        pairs.get(name, b"").decode("ascii", "replace") for name in (b"RANK", b"WORLD_SIZE")
    )
    return parse_count(rank), parse_count(world)
