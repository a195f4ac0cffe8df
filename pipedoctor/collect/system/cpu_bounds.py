"""What bounds the CPUs of the examined process: mask, cpuset, quota, Slurm."""

from pathlib import Path

from pipedoctor.collect.machine import Machine, read_int, read_or_default
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.facts import Quota, UnreadableError
from pipedoctor.units import parse_count


def read_affinity(machine: Machine) -> str:
    """CPUs that the examined process may run on, as a list; empty when not known."""
    for line in read_or_default(machine.process / "status").splitlines():
        name, _, value = line.partition(":")
        if name == "Cpus_allowed_list":
            return value.strip()
    return ""


def read_cpuset(machine: Machine) -> str:
    """CPUs of the innermost group that has any, as a list; empty when not known."""
    names = ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus")
    try:
        groups = list_cgroups(machine, "cpuset")
    except UnreadableError:
        return ""
    texts = (read_or_default(group / name).strip() for group in groups for name in names)
    return next(filter(None, texts), "")


def read_quota(machine: Machine) -> tuple[Quota | None, str]:
    """The tightest quota of the group and its parents, or why it is not known."""
    try:
        groups = list_cgroups(machine, "cpu")
    except UnreadableError as reason:
        return None, str(reason)
    quotas = [quota for group in groups if (quota := _read_group_quota(machine, group))]
    return min(quotas, key=lambda quota: quota.cpus, default=None), ""


def _read_group_quota(machine: Machine, group: Path) -> Quota | None:
    unified = (read_or_default(group / "cpu.max").split() + [""] * 2)[:2]
    if all(map(str.isdecimal, unified)):
        file, allowed, period = group / "cpu.max", *map(int, unified)
    else:
        file = group / "cpu.cfs_quota_us"
        allowed = read_int(file) or -1
        period = read_int(group / "cpu.cfs_period_us") or 0
    if allowed <= 0 or period <= 0:
        return None
    lines = read_or_default(group / "cpu.stat").splitlines()
    stat = {name: int(n) for name, _, n in (s.partition(" ") for s in lines) if n}
    spent = stat.get("throttled_usec", stat.get("throttled_time", 0) / 1000)
    return Quota(
        cpus=allowed / period,
        source="/" + str(file.relative_to(machine.root)),
        periods=stat.get("nr_periods"),
        throttled_periods=stat.get("nr_throttled"),
        throttled_seconds=spent / 1e6 if stat else None,
    )


def read_slurm_cpus(machine: Machine) -> tuple[int | None, bool]:
    """CPUs that Slurm granted, and whether that is per task (or on this node)."""
    for name in ("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"):
        count = parse_count(machine.environ.get(name, ""))
        if "SLURM_JOB_ID" in machine.environ and count:
            return count, name == "SLURM_CPUS_PER_TASK"
    return None, False
