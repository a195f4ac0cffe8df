"""Less of the processors than there are: by a control group, or by affinity."""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path

_PERIOD = 100_000
_ROOT = Path("/sys/fs/cgroup")
_V1, _V2 = (_ROOT / "cpu", _ROOT / "cpuacct"), (_ROOT,)
"""Where the quota is, and where its use is counted."""


@contextlib.contextmanager
def limit_cpus(cpus: float | None) -> Generator[str, None, None]:
    """Limit this process and its children to so many CPUs; yields how, in words."""
    if cpus is None:
        yield ""
        return
    for roots, write in ((_V1, _write_quota_v1), (_V2, _write_quota_v2)):
        groups = [root / f"pipebench-{os.getpid()}" for root in roots]
        try:
            _join_groups(groups)
            write(groups[0], cpus)
        except OSError:
            _leave_groups(groups)
            continue
        try:
            yield f"a quota of {cpus:g} CPU{'' if cpus == 1 else 's'}"
        finally:
            _leave_groups(groups)
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[: max(1, int(cpus))])
    try:
        yield f"affinity to {max(1, int(cpus))} CPUs, which stands in for a quota"
    finally:
        os.sched_setaffinity(0, before)


def _join_groups(groups: list[Path]) -> None:
    for group in groups:
        if not group.exists():  # one hierarchy may have both names
            group.mkdir()
            (group / "cgroup.procs").write_text(str(os.getpid()))


def _leave_groups(groups: list[Path]) -> None:
    for group in groups:
        with contextlib.suppress(OSError):  # it is not there, or somebody ends in it
            (group.parent / "cgroup.procs").write_text(str(os.getpid()))
            group.rmdir()


def _write_quota_v1(group: Path, cpus: float) -> None:
    (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
    (group / "cpu.cfs_quota_us").write_text(str(int(cpus * _PERIOD)))


def _write_quota_v2(group: Path, cpus: float) -> None:
    (group / "cpu.max").write_text(f"{int(cpus * _PERIOD)} {_PERIOD}")
