"""Facts of limits of processes that tests of PDR704 share."""

from pipedoctor.check import Finding
from pipedoctor.facts import Limits, Loader, Rlimit, Site, Threads
from pipedoctor_checks.limits.process_limit_reached import process_limit_reached

BARE = Site(system="linux")
FILES = Rlimit(soft=1024, hard=1024)
GROUP = "/sys/fs/cgroup/user.slice/user-1000.slice/pids.max"


def user(used: int | None, soft: int | None, hard: int | None = 9999) -> Limits:
    nproc = Rlimit(soft=soft, hard=hard)
    return Limits(nofile=FILES, nproc=nproc, user_threads=used)


def group(used: int | None, most: int | None) -> Limits:
    return Limits(nofile=FILES, pids_max=most, pids_current=used, pids_source=GROUP)


def system(used: int | None, most: int, pids: int = 1 << 22) -> Limits:
    return Limits(nofile=FILES, threads_max=most, pid_max=pids, system_threads=used)


def only(
    limits: Limits,
    loader: Loader | None = None,
    threads: Threads | None = None,
    site: Site | None = BARE,
) -> Finding:
    (finding,) = process_limit_reached(limits, loader, threads, site)
    return finding
