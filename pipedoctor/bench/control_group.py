"""The control group of a measurement: its quota, its use, its stops."""

from pathlib import Path

import msgspec

from pipedoctor.collect.machine import Machine, read_int, read_or_default
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.collect.system.cpu_bounds import read_quota
from pipedoctor.facts import Quota, UnreadableError

_NANO, _MICRO = 1e-9, 1e-6


class GroupUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of a group, or their growth; None = the kernel does not tell."""

    cpu: float | None = None
    throttled: float | None = None
    throttled_share: float | None = None


class QuotaGroup:
    """The group whose quota binds; without a quota everything stays unknown."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        bound, _ = read_quota(machine)
        self.quota = bound.cpus if bound else None
        self._folder = machine.root / bound.source.lstrip("/") if bound else None

    def start(self) -> None:
        """Remember the totals."""
        self._totals_before = self._read_totals()

    def stop(self) -> GroupUsage:
        """What was used since `start`."""
        (cpu, bound), (cpu0, bound0) = self._read_totals(), self._totals_before
        if bound is None or bound0 is None:
            return GroupUsage()
        periods = (bound.periods or 0) - (bound0.periods or 0)
        stops = (bound.throttled_periods or 0) - (bound0.throttled_periods or 0)
        seconds = (bound.throttled_seconds or 0.0) - (bound0.throttled_seconds or 0.0)
        return GroupUsage(
            cpu=None if cpu is None or cpu0 is None else cpu - cpu0,
            throttled=seconds,
            throttled_share=stops / periods if periods > 0 else 0.0,
        )

    def _read_totals(self) -> tuple[float | None, Quota | None]:
        if self._folder is None:
            return None, None
        return self._read_cpu_seconds(self._folder.parent), read_quota(self._machine)[0]

    def _read_cpu_seconds(self, group: Path) -> float | None:
        """CPU seconds of the group: in `cpu.stat` of v2, in `cpuacct` of v1."""
        for line in read_or_default(group / "cpu.stat").splitlines():
            name, _, number = line.partition(" ")
            if name == "usage_usec" and number.isdecimal():
                return int(number) * _MICRO
        total = read_int(group / "cpuacct.usage")
        if total is None:
            total = self._read_cpuacct()
        return None if total is None else total * _NANO

    def _read_cpuacct(self) -> int | None:
        """Of `cpuacct` where it is mounted apart: only if it is the same group."""
        try:
            quotas = list_cgroups(self._machine, "cpu")
            groups = list_cgroups(self._machine, "cpuacct")
        except UnreadableError:
            return None
        if self._folder is None or self._folder.parent not in quotas:
            return None
        depth = len(quotas) - quotas.index(self._folder.parent)
        same = groups[-depth] if depth <= len(groups) else None
        if same is None or same.name != self._folder.parent.name:
            return None
        return read_int(same / "cpuacct.usage")
