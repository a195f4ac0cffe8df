"""Read what happens to the CPUs while something is measured."""

import os
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipedoctor.bench.group import Group
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.facts import Window

_AFTER_NAME = 2
_PPID, _MINFLT, _CMINFLT, _SESSION = 1, 7, 8, 3
_TIMES = slice(11, 15)
_STEAL, _COUNTED = 7, 8
_IDLE = (3, 4)


@dataclass(frozen=True, kw_only=True)
class Tree:
    """What one process and all its descendants have used so far."""

    cpu: float
    faults: int
    switches: int


class Meter:
    """
    A stopwatch that also reads /proc: `start`, work, `stop` gives the window.

    `sessions` are sessions whose processes count as ours wherever their parents
    went. Costs about a millisecond for a hundred processes on each side.
    """

    def __init__(
        self, machine: Machine | None = None, *, sessions: Iterable[int] = ()
    ) -> None:
        self._machine = machine or Machine()
        self._linux = self._machine.system.startswith("linux")
        self._sessions = set(sessions)
        self._tick = os.sysconf("SC_CLK_TCK") if self._linux else 1
        self._group = Group(self._machine)
        self._cpus = _allowed()

    @property
    def cpus(self) -> float:
        """CPUs that the measurement may use: a fraction under a quota."""
        return min(float(len(self._cpus)), self._group.quota or float("inf"))

    def start(self) -> None:
        """Begin a window."""
        self._group.start()
        self._before = self._read()
        self._began = time.perf_counter()

    def stop(self) -> Window:
        """End the window that `start` began."""
        seconds = max(time.perf_counter() - self._began, 1e-9)
        if not self._linux:
            own = self._read()[0].cpu - self._before[0].cpu
            return Window(seconds=seconds, cpus=self.cpus, own=own)
        (tree, busy, stolen), (tree0, busy0, stolen0) = self._read(), self._before
        own = max(0.0, tree.cpu - tree0.cpu)
        group = self._group.stop()
        everybody = group.cpu if group.cpu is not None else busy - busy0
        return Window(
            seconds=seconds,
            cpus=self.cpus,
            own=own,
            foreign=max(0.0, everybody - own),
            stolen=max(0.0, stolen - stolen0),
            throttled=group.throttled,
            throttled_share=group.throttled_share,
            minor_faults=max(0, tree.faults - tree0.faults),
            involuntary_switches=max(0, tree.switches - tree0.switches),
        )

    @contextmanager
    def watching(self) -> Generator[list[Window], None, None]:
        """Put the window of the body into the list that is handed out."""
        windows: list[Window] = []
        self.start()
        try:
            yield windows
        finally:
            windows.append(self.stop())

    def _read(self) -> tuple[Tree, float, float]:
        if not self._linux:
            times = os.times()
            return Tree(cpu=sum(times[:4]), faults=0, switches=0), 0.0, 0.0
        busy, stolen = _busy(self._machine, self._cpus)
        return self._tree(), busy / self._tick, stolen / self._tick

    def _tree(self) -> Tree:
        fields = dict(_processes(self._machine.proc))
        ours = self._ours(fields)
        ticks = sum(sum(map(int, fields[pid][_TIMES])) for pid in ours)
        faults = sum(
            int(fields[pid][_MINFLT]) + int(fields[pid][_CMINFLT]) for pid in ours
        )
        switches = sum(_switches(self._machine.proc / str(pid)) for pid in ours)
        return Tree(cpu=ticks / self._tick, faults=faults, switches=switches)

    def _ours(self, fields: dict[int, list[str]]) -> set[int]:
        children: dict[int, list[int]] = {}
        for pid, row in fields.items():
            children.setdefault(int(row[_PPID]), []).append(pid)
        found: set[int] = set()
        left = [os.getpid()]
        left += [p for p, row in fields.items() if int(row[_SESSION]) in self._sessions]
        while left:
            pid = left.pop()
            if pid in fields and pid not in found:
                found.add(pid)
                left += children.get(pid, [])
        return found


def _processes(proc: Path) -> Generator[tuple[int, list[str]], None, None]:
    """Every process with the fields of its `stat` that follow the name."""
    for name in os.listdir(proc):  # noqa: PTH208  (ten times as fast, and it counts)
        if name.isdecimal():
            text = read_or(proc / name / "stat")
            if text:
                yield int(name), text[text.rindex(")") + _AFTER_NAME :].split()


def _switches(process: Path) -> int:
    """How often its threads were stopped in favour of others."""
    text = read_or(process / "status")
    _, _, rest = text.partition("nonvoluntary_ctxt_switches:")
    number = (rest.split() or ["0"])[0]
    return int(number) if number.isdecimal() else 0


def _busy(machine: Machine, cpus: set[int]) -> tuple[float, float]:
    """Ticks in which these CPUs worked, and ticks that the hypervisor took."""
    busy = stolen = 0
    for line in read_or(machine.proc / "stat").splitlines():
        name, _, rest = line.partition(" ")
        number = name.removeprefix("cpu")
        if number.isdecimal() and int(number) in cpus:
            ticks = [int(value) for value in rest.split()[:_COUNTED]]
            stolen += ticks[_STEAL]
            busy += sum(ticks) - ticks[_STEAL] - sum(ticks[i] for i in _IDLE)
    return busy, stolen


def _allowed() -> set[int]:
    """CPUs of our affinity mask; all, where there is no such thing."""
    try:
        return os.sched_getaffinity(0)
    except AttributeError:
        return set(range(os.cpu_count() or 1))
