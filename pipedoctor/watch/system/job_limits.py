"""What all processes of a job share: quota, pressure, /dev/shm, memory that is left."""

import os
import time
from pathlib import Path

from pipedoctor.bench.control_group import QuotaGroup
from pipedoctor.collect.machine import Machine, read_int, read_or_default
from pipedoctor.collect.system.cgroups import list_cgroups
from pipedoctor.collect.system.memory import count_file_pages
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import files
from pipedoctor.watch.samples.tally import compute_decay
from pipedoctor.watch.samples.trends import TimeSeries
from pipedoctor.watch.system.process_counters import TICKS_PER_SECOND, read_process_file

_PRESSURES = ("cpu", "io", "memory")
_MICRO = 1e-6
_KIB = 1024
_MAX_CPU_BYTES = 1 << 16
_BUSY_FIELDS = (1, 2, 3, 6, 7)
"""Of a CPU in /proc/stat: user, nice, system, interrupts."""


class JobLimits:
    """Read now and then; each signal that cannot be read is unknown with its reason."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.unknown: dict[str, str] = {}
        self.shm = TimeSeries(self._read_shm_size())
        self.memory_left: float | None = None
        self.throttled_share: float | None = None
        self._group: QuotaGroup | None = None
        try:
            self._group = QuotaGroup(machine)
            self._group.start()
        except (OSError, UnreadableError) as error:
            self.unknown["quota"] = str(error)
        self._memory_groups = self._list_memory_groups()
        self._pressures = self._read_pressures()
        self.huge_faults = 0.0
        """Faults of the whole machine that cleared a huge page; older ones count less."""
        self._huge_before = self._count_huge_faults()
        self._began = 0.0
        self.cpus = self._count_cpus()
        """CPUs that the job may use."""
        self.pressure: dict[str, float] = {}
        self._busy_before = self._read_busy_cpus(), time.monotonic()
        self._busy = self._busy_seconds = 0.0

    @property
    def busy_cpus(self) -> float | None:
        """CPUs that all programs together keep busy, of those that the job may use."""
        return self._busy / self._busy_seconds if self._busy_seconds else None

    def _count_cpus(self) -> float:
        try:
            own = float(len(os.sched_getaffinity(self._machine.pid or 0)))
        except OSError:
            own = float(os.cpu_count() or 1)
        quota = self._group.quota if self._group else None
        return min(own, quota or own)

    @property
    def has_quota(self) -> bool:
        """Does a quota bind?"""
        return self._group is not None and self._group.quota is not None

    def read(self, now: float) -> None:
        """One look at everything."""
        self._began = self._began or now
        self.read_shm(now)
        self.memory_left = self._read_memory_left()
        seconds = now - self._began
        for name, stalled in self._read_pressures().items():
            if name in self._pressures and seconds > 0:
                share = (stalled - self._pressures[name]) * _MICRO / seconds
                self.pressure[name] = round(min(1.0, max(0.0, share)), 4)

    def read_rates(self) -> None:
        """What is counted: huge pages, and the periods in which the quota stopped the group."""
        before, self._huge_before = self._huge_before, self._count_huge_faults()
        self.huge_faults += max(0, self._huge_before - before)
        self._count_busy_cpus()
        if self._group is not None and self.has_quota:
            self.throttled_share = self._group.stop().throttled_share

    def _count_busy_cpus(self) -> None:
        (busy, when), now = self._busy_before, time.monotonic()
        self._busy_before = self._read_busy_cpus(), now
        newer = self._busy_before[0]
        if busy is not None and newer is not None and newer >= busy:
            self._busy += newer - busy
            self._busy_seconds += now - when

    def _read_busy_cpus(self) -> float | None:
        """CPU seconds that the CPUs of the job were busy; None: the kernel does not say."""
        text = read_process_file(f"{self._machine.proc}/stat", _MAX_CPU_BYTES)
        try:
            own = {f"cpu{number}" for number in os.sched_getaffinity(self._machine.pid or 0)}
        except OSError:
            return None
        rows = [row.split() for row in text.splitlines() if row.startswith("cpu")]
        counts = [[int(row[place]) for place in _BUSY_FIELDS] for row in rows if row[0] in own]
        return sum(map(sum, counts)) / TICKS_PER_SECOND if counts else None

    def decay(self, seconds: float) -> None:
        """Let what was counted lose weight."""
        factor = compute_decay(seconds)
        self.huge_faults *= factor
        self._busy, self._busy_seconds = self._busy * factor, self._busy_seconds * factor

    def _count_huge_faults(self) -> int:
        text = read_or_default(self._machine.proc / "vmstat")
        number = text.partition("\nthp_fault_alloc ")[2].partition("\n")[0]
        return int(number) if number.isdecimal() else 0

    def _read_pressures(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for name in _PRESSURES:
            text = read_or_default(self._machine.proc / "pressure" / name)
            _, _, total = text.partition("\n")[0].partition("total=")
            if total.isdecimal():
                found[name] = int(total)
        if not found:
            self.unknown["pressure"] = "this kernel keeps no pressure stall information"
        return found

    def _find_shm(self) -> Path:
        return self._machine.map_path("/dev/shm")

    def _read_shm_size(self) -> float | None:
        try:
            size, _, _ = files.measure_space(str(self._find_shm()))
        except UnreadableError as error:
            self.unknown["shm"] = str(error)
            return None
        return float(size)

    def read_shm(self, now: float) -> None:
        """How much of /dev/shm is in use."""
        if "shm" in self.unknown:
            return
        try:
            row = os.statvfs(self._find_shm())
        except OSError as error:
            self.unknown["shm"] = error.strerror or str(error)
            return
        self.shm.add(now, float((row.f_blocks - row.f_bfree) * row.f_frsize))

    def _list_memory_groups(self) -> list[Path]:
        try:
            return list_cgroups(self._machine, "memory")
        except (OSError, UnreadableError):
            return []

    def _read_memory_left(self) -> float | None:
        """The least that the groups, or the machine, may still give, with pages of files."""
        left: list[float] = []
        for folder in self._memory_groups:
            most = read_int(folder / "memory.max") or read_int(folder / "memory.limit_in_bytes")
            used = read_int(folder / "memory.current") or read_int(folder / "memory.usage_in_bytes")
            if most is not None and used is not None:
                left.append(float(most - used + min(used, count_file_pages(folder))))
        rows = read_or_default(self._machine.proc / "meminfo").splitlines()
        left += [float(r.split()[1]) * _KIB for r in rows if r.startswith("MemAvail")]
        return min(left, default=None)
