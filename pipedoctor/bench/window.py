"""Read what happens to the CPUs while something is measured."""

import os
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from pipedoctor.bench.control_group import QuotaGroup
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.processes import read_stat_fields
from pipedoctor.facts import Window

_PPID, _MINFLT, _CMINFLT, _SESSION = 1, 7, 8, 3
_TIME_FIELDS = slice(11, 15)
_OWN_TIME_FIELDS = slice(11, 13)
_MIN_NAMED_CORES = 0.1
"""CPUs from which on a single process counts as one that disturbs."""
_STEAL_FIELD, _COUNTED_FIELDS = 7, 8
_IDLE_FIELDS = (3, 4)


@dataclass(frozen=True, kw_only=True)
class TreeUsage:
    """What one process and all its descendants have used so far."""

    cpu: float
    faults: int
    switches: int
    others: Mapping[int, int] = field(default_factory=dict[int, int])
    """Ticks of processes that do not belong to it, by PID."""


class CpuMeter:
    """
    A stopwatch that also reads /proc: `start`, work, `stop` gives the window.

    `sessions` are sessions whose processes count as ours wherever their parents
    went. Costs about a millisecond for a hundred processes on each side.
    """

    tolerant: ClassVar[bool] = False
    """Do all windows of this process count (`--allow-busy`)?"""

    def __init__(self, machine: Machine | None = None, *, sessions: Iterable[int] = ()) -> None:
        self._machine = machine or Machine()
        self._linux = self._machine.system.startswith("linux")
        self._sessions = set(sessions)
        self._tick = os.sysconf("SC_CLK_TCK") if self._linux else 1
        self._group = QuotaGroup(self._machine)
        self._cpus = _read_affinity()

    @property
    def cpus(self) -> float:
        """CPUs that the measurement may use: a fraction under a quota."""
        return min(float(len(self._cpus)), self._group.quota or float("inf"))

    def start(self) -> None:
        """Begin a window."""
        self._group.start()
        self._counters_before = self._read_counters()
        self._begin_time = time.perf_counter()

    def stop(self) -> Window:
        """End the window that `start` began."""
        seconds = max(time.perf_counter() - self._begin_time, 1e-9)
        if not self._linux:
            own = self._read_counters()[0].cpu - self._counters_before[0].cpu
            return Window(seconds=seconds, cpus=self.cpus, own=own)
        (tree, busy, stolen), (tree0, busy0, stolen0) = (
            self._read_counters(),
            self._counters_before,
        )
        own = max(0.0, tree.cpu - tree0.cpu)
        group = self._group.stop()
        everybody = group.cpu if group.cpu is not None else busy - busy0
        return Window(
            seconds=seconds,
            cpus=self.cpus,
            own=own,
            foreign=max(0.0, everybody - own),
            foreign_process=self._name_busiest(tree0.others, tree.others, seconds),
            stolen=max(0.0, stolen - stolen0),
            tolerated=CpuMeter.tolerant,
            throttled=group.throttled,
            throttled_share=group.throttled_share,
            minor_faults=max(0, tree.faults - tree0.faults),
            involuntary_switches=max(0, tree.switches - tree0.switches),
        )

    @contextmanager
    def record_window(self) -> Generator[list[Window], None, None]:
        """Put the window of the body into the list that is handed out."""
        windows: list[Window] = []
        self.start()
        try:
            yield windows
        finally:
            windows.append(self.stop())

    def _read_counters(self) -> tuple[TreeUsage, float, float]:
        if not self._linux:
            times = os.times()
            return TreeUsage(cpu=sum(times[:4]), faults=0, switches=0), 0.0, 0.0
        busy, stolen = _read_cpu_ticks(self._machine, self._cpus)
        return self._read_tree(), busy / self._tick, stolen / self._tick

    def _read_tree(self) -> TreeUsage:
        fields = dict(_read_processes(self._machine.proc))
        ours = self._find_own_pids(fields)
        ticks = sum(sum(map(int, fields[pid][_TIME_FIELDS])) for pid in ours)
        faults = sum(int(fields[pid][_MINFLT]) + int(fields[pid][_CMINFLT]) for pid in ours)
        switches = sum(_read_switches(self._machine.proc / str(pid)) for pid in ours)
        others = {
            pid: sum(map(int, row[_OWN_TIME_FIELDS]))
            for pid, row in fields.items()
            if pid not in ours
        }
        return TreeUsage(cpu=ticks / self._tick, faults=faults, switches=switches, others=others)

    def _name_busiest(
        self, before: Mapping[int, int], after: Mapping[int, int], seconds: float
    ) -> str:
        """The process of others that took the most CPU, if that is worth a mention."""
        used = {pid: ticks - before.get(pid, ticks) for pid, ticks in after.items()}
        pid = max(used, key=lambda pid: used[pid], default=0)
        if not pid or used[pid] / self._tick < _MIN_NAMED_CORES * seconds:
            return ""
        name = read_or_default(self._machine.proc / str(pid) / "comm").strip()
        return f"{name}, pid {pid}" if name else f"pid {pid}"

    def _find_own_pids(self, fields: dict[int, list[str]]) -> set[int]:
        children: dict[int, list[int]] = {}
        for pid, row in fields.items():
            children.setdefault(int(row[_PPID]), []).append(pid)
        pids: set[int] = set()
        left = [os.getpid()]
        left += [p for p, row in fields.items() if int(row[_SESSION]) in self._sessions]
        while left:
            pid = left.pop()
            if pid in fields and pid not in pids:
                pids.add(pid)
                left += children.get(pid, [])
        return pids


def _read_processes(proc: Path) -> Generator[tuple[int, list[str]], None, None]:
    """Every process with the fields of its `stat` that follow the name."""
    for name in os.listdir(proc):  # noqa: PTH208  (ten times as fast, and it counts)
        if name.isdecimal():
            fields = read_stat_fields(proc / name)
            if fields:
                yield int(name), fields


def _read_switches(process: Path) -> int:
    """How often its threads were stopped in favour of others."""
    text = read_or_default(process / "status")
    _, _, rest = text.partition("nonvoluntary_ctxt_switches:")
    number = (rest.split() or ["0"])[0]
    return int(number) if number.isdecimal() else 0


def _read_cpu_ticks(machine: Machine, cpus: set[int]) -> tuple[float, float]:
    """Ticks in which these CPUs worked, and ticks that the hypervisor took."""
    busy = stolen = 0
    for line in read_or_default(machine.proc / "stat").splitlines():
        name, _, rest = line.partition(" ")
        number = name.removeprefix("cpu")
        if number.isdecimal() and int(number) in cpus:
            ticks = [int(value) for value in rest.split()[:_COUNTED_FIELDS]]
            stolen += ticks[_STEAL_FIELD]
            busy += sum(ticks) - ticks[_STEAL_FIELD] - sum(ticks[i] for i in _IDLE_FIELDS)
    return busy, stolen


def _read_affinity() -> set[int]:
    """CPUs of our affinity mask; all, where there is no such thing."""
    try:
        return os.sched_getaffinity(0)
    except AttributeError:
        return set(range(os.cpu_count() or 1))
