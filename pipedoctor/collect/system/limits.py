"""Read the limits of the examined process, of its group and of the kernel."""

import os
import re
from pathlib import Path

from msgspec.structs import replace

from pipedoctor.collect.machine import Machine, read_file, read_int, read_or_default
from pipedoctor.collect.system import cgroups, inotify, users
from pipedoctor.facts import Limits, Rlimit, UnreadableError
from pipedoctor.runtime.lanes import Announce

_LIMIT_LINE = re.compile(r"^(Max [a-z ]+?)\s{2,}(\S+)\s+(\S+)", re.MULTILINE)


def limits(machine: Machine, announce: Announce) -> Limits:
    """Limits of the process from /proc/PID/limits; elsewhere what this one has."""
    if not machine.system.startswith("linux"):
        return _read_with_resource(machine)
    announce(f"read {machine.process}")
    values = _read_rlimits(machine.process)
    user = users.read_user(machine)
    job = Limits(
        pid=machine.pid,
        nofile=values["Max open files"],
        nproc=values.get("Max processes"),
        memlock=values.get("Max locked memory"),
        exempt_from_nproc=user.exempt_from_nproc,
        exempt_from_memlock=user.exempt_from_memlock,
    )
    if machine.pid is not None:
        open_files = _count_entries(machine.process / "fd")
        job = replace(job, open_files=open_files, maps=_count_maps(machine.process))
    return _add_user_totals(_add_kernel_limits(job, machine), machine, user)


def _add_kernel_limits(job: Limits, machine: Machine) -> Limits:
    kernel = machine.proc / "sys"
    in_use, _, file_max = _read_numbers(kernel / "fs/file-nr", 3)
    *_, receive = _read_numbers(kernel / "net/ipv4/tcp_rmem", 3)
    pids_max, pids_current, source = _read_pids_limit(machine)
    return replace(
        job,
        nr_open=read_int(kernel / "fs/nr_open"),
        file_max=file_max,
        files_in_use=in_use,
        threads_max=read_int(kernel / "kernel/threads-max"),
        pid_max=read_int(kernel / "kernel/pid_max"),
        system_threads=_count_system_threads(machine),
        pids_max=pids_max,
        pids_current=pids_current,
        pids_source=source,
        max_map_count=read_int(kernel / "vm/max_map_count"),
        inotify_watches=read_int(kernel / "fs/inotify/max_user_watches"),
        inotify_instances=read_int(kernel / "fs/inotify/max_user_instances"),
        rdma_devices=_list_names(machine.root / "sys/class/infiniband"),
        tcp_receive_buffer=receive,
    )


def _add_user_totals(job: Limits, machine: Machine, user: users.ProcessUser) -> Limits:
    """What the processes of this user hold; None where nobody can tell."""
    if user.uid is None:
        return job
    processes = users.list_user_processes(machine, user.uid)
    use = inotify.count_inotify_use(process.path for process in processes)
    return replace(
        job,
        user_threads=sum(process.threads for process in processes),
        inotify_instances_used=use.instances if use else None,
        inotify_watches_used=use.watches if use else None,
    )


def _read_with_resource(machine: Machine) -> Limits:
    """Where there is no /proc, only this process can be asked, and only on Unix."""
    if machine.pid is not None or machine.system == "win32":
        message = f"the limits of a process cannot be read on {machine.system}"
        raise UnreadableError(message)
    import resource  # noqa: PLC0415  (there is none on Windows)

    def limit(kind: int) -> Rlimit:
        pair = resource.getrlimit(kind)
        soft, hard = (None if n == resource.RLIM_INFINITY else n for n in pair)
        return Rlimit(soft=soft, hard=hard)

    return Limits(nofile=limit(resource.RLIMIT_NOFILE), nproc=limit(resource.RLIMIT_NPROC))


def _read_rlimits(process: Path) -> dict[str, Rlimit]:
    file = process / "limits"
    values = {
        name: Rlimit(soft=_parse_value(soft), hard=_parse_value(hard))
        for name, soft, hard in _LIMIT_LINE.findall(read_file(file))
    }
    if "Max open files" not in values:
        message = f"{file} has no line 'Max open files'"
        raise UnreadableError(message)
    return values


def _parse_value(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _read_numbers(file: Path, count: int) -> tuple[int | None, ...]:
    """The numbers of a file that holds `count` of them, else as many None."""
    fields = read_or_default(file).split()
    if len(fields) != count or not all(field.isdecimal() for field in fields):
        return (None,) * count
    return tuple(map(int, fields))


def _count_system_threads(machine: Machine) -> int | None:
    """Threads of the whole system: the second half of loadavg's ``2/345``."""
    match = re.search(r" \d+/(\d+) ", read_or_default(machine.proc / "loadavg"))
    return int(match[1]) if match else None


def _read_pids_limit(machine: Machine) -> tuple[int | None, int | None, str]:
    """pids.max and pids.current of the group with the least room, and its file."""
    try:
        groups = cgroups.list_cgroups(machine, "pids")
    except UnreadableError:
        return None, None, ""
    bounds: list[tuple[int, int | None, str]] = []
    for group in groups:
        most = read_int(group / "pids.max")  # "max" is no number: no limit
        if most is not None:
            now = read_int(group / "pids.current")
            bounds.append((most, now, str(group / "pids.max")))
    none = None, None, ""
    return min(bounds, key=lambda b: b[0] - (b[1] or 0), default=none)


def _list_names(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(os.listdir(folder)))  # noqa: PTH208  (names suffice)
    except OSError:
        return ()


def _count_entries(folder: Path) -> int | None:
    try:
        return len(os.listdir(folder))  # noqa: PTH208  (only counted)
    except OSError:
        return None


def _count_maps(process: Path) -> int | None:
    return read_or_default(process / "maps").count("\n") or None
