"""Limits on descriptors, processes, mappings and watches, with what is in use."""

from typing import ClassVar

from pipedoctor.facts.base import Fact, Part


class Rlimit(Part, frozen=True, kw_only=True):
    """A resource limit of the process; None = unlimited."""

    soft: int | None
    hard: int | None


class Limits(Fact, frozen=True, kw_only=True):
    """Limits of the examined process and of the kernel; None = not known."""

    section: ClassVar[str] = "limits"

    pid: int | None = None
    """The running process named by --pid; None: this one stands in for the job."""
    nofile: Rlimit
    nproc: Rlimit | None = None
    memlock: Rlimit | None = None
    open_files: int | None = None
    """Descriptors that the process of --pid has open; without one nobody knows."""
    nr_open: int | None = None
    """fs.nr_open: the ceiling of any hard limit on descriptors."""
    file_max: int | None = None
    files_in_use: int | None = None
    """System-wide, from fs.file-nr."""
    user_threads: int | None = None
    """Threads of this user that can be seen: what RLIMIT_NPROC counts."""
    exempt_from_nproc: bool = False
    """Root, CAP_SYS_RESOURCE and CAP_SYS_ADMIN pass RLIMIT_NPROC."""
    threads_max: int | None = None
    pid_max: int | None = None
    system_threads: int | None = None
    pids_max: int | None = None
    """pids.max of the control group, the tightest of all parents."""
    pids_current: int | None = None
    pids_source: str = ""
    max_map_count: int | None = None
    maps: int | None = None
    """Memory mappings of the process of --pid."""
    inotify_watches: int | None = None
    inotify_instances: int | None = None
    inotify_watches_used: int | None = None
    """By this user's processes that could be seen."""
    inotify_instances_used: int | None = None
    exempt_from_memlock: bool = False
    """CAP_IPC_LOCK passes RLIMIT_MEMLOCK."""
    rdma_devices: tuple[str, ...] = ()
    """InfiniBand and RoCE adapters: those that lock memory."""
    tcp_receive_buffer: int | None = None
    """Bytes that one TCP connection may buffer at most (net.ipv4.tcp_rmem)."""
