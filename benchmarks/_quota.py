"""Less of the processors than there are: by a control group, or by affinity."""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path

_PERIOD = 100_000
_V1, _V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")


@contextlib.contextmanager
def quota(cpus: float | None) -> Generator[str, None, None]:
    """So many CPUs for this process and its children; gives what sees to that."""
    if cpus is None:
        yield ""
        return
    for root, write in ((_V1, _first), (_V2, _second)):
        group = root / f"pipebench-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            write(group, cpus)
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            group.rmdir()
            continue
        try:
            yield f"a quota of {cpus:g} CPUs"
        finally:
            (root / "cgroup.procs").write_text(str(os.getpid()))
            with contextlib.suppress(OSError):  # somebody still ends in it
                group.rmdir()
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[: max(1, int(cpus))])
    try:
        yield f"affinity to {max(1, int(cpus))} CPUs, which stands in for a quota"
    finally:
        os.sched_setaffinity(0, before)


def _first(group: Path, cpus: float) -> None:
    (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
    (group / "cpu.cfs_quota_us").write_text(str(int(cpus * _PERIOD)))


def _second(group: Path, cpus: float) -> None:
    (group / "cpu.max").write_text(f"{int(cpus * _PERIOD)} {_PERIOD}")
