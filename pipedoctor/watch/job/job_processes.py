"""Which processes of a job are watched, and what is kept of those that have ended."""

import math
import time
from collections.abc import Callable

from msgspec.structs import replace

from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.mounts import mounts
from pipedoctor.facts import Mount, UnreadableError
from pipedoctor.watch.job.cpu_budget import STACKLESS_PART, PeriodicRead
from pipedoctor.watch.job.ended_processes import EndedProcess, EndedWorkers
from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.samples.tally import SampleTally, sum_tallies
from pipedoctor.watch.stacks.stack_phases import ProcessPhase
from pipedoctor.watch.system.process_counters import ProcessCounters, ProcessGoneError
from pipedoctor.watch.system.process_resources import ProcessResources
from pipedoctor.watch.system.process_tree import JobProcess, list_job_processes

_MIN_REFRESH_SECONDS, _TREE_INTERVAL, _TREE_SHARE = 1.0, 5.0, 0.0004
"""Seconds between two looks at the process tree, at least and at most; CPU they may take."""
_MOUNTS_INTERVAL = 30.0
_MAX_ENDED = 256
_IDLE_SECONDS = 3.0
"""Without a batch, after which other workers than these deliver."""


class JobProcesses:
    """
    The processes of one job.

    Raises UnreadableError where there is no such process.
    """

    def __init__(
        self,
        pid: int,
        *,
        machine: Machine | None = None,
        stacks: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.pid, self._stacks = pid, stacks
        self.machine = machine or Machine(pid=pid)
        self._proc = self.machine.proc
        self.clock = clock
        self.processes: dict[int, WatchedProcess] = {}
        self.resources: dict[int, ProcessResources] = {}
        self.ended: list[EndedProcess] = []
        self.ended_workers: dict[int, EndedWorkers] = {}
        """By main process."""
        self.ended_mains: dict[int, WatchedProcess] = {}
        """Main processes that have ended."""
        self.most_workers: dict[int, int] = {}
        self.starts_workers: set[int] = set()
        """Main processes with new processes that still import."""
        self._seen_starting: set[int] = set()
        self._sums: dict[int, SampleTally] = {}
        """Of the workers of a main process, since the last look."""
        self.uses_torch = False
        self.command = ""
        self.mounts: list[Mount] = []
        self._mounts_at = -math.inf
        self.pids_by_role: dict[str, list[int]] = {"main": [], "worker": []}
        part = 1.0 if stacks else STACKLESS_PART
        self.tree = PeriodicRead(_TREE_INTERVAL, part * _TREE_SHARE)
        self.tree.run(clock(), lambda: self.refresh(first=True))
        self.schedule_refresh()

    @property
    def is_alive(self) -> bool:
        """Is the process that was named, or a main process, still there?"""
        return any(p.member.role == "main" for p in self.processes.values())

    def list_mains(self) -> list[WatchedProcess]:
        """Main processes, or those that there were; beside ranks what started them is none."""
        found = [p for p in self.processes.values() if p.member.role == "main"]
        found = found or list(self.ended_mains.values())
        return [p for p in found if p.member.rank is not None] or found

    def list_workers(self, main: WatchedProcess) -> list[WatchedProcess]:
        """The workers that a main process has now."""
        pid = main.member.pid
        return [
            p for p in self.processes.values() if p.member.role == "worker" and p.member.main == pid
        ]

    def list_delivering(self, main: WatchedProcess) -> list[WatchedProcess]:
        """
        The workers that a main process has now, of that loader of several that works most.

        Those of a validation set that wait for their turn say nothing of training.
        """
        groups: dict[int, list[WatchedProcess]] = {}
        for worker in self.list_workers(main):
            groups.setdefault(worker.loader, []).append(worker)
        if len(groups) <= 1:
            return self.list_workers(main)
        unknown = groups.pop(0, [])
        return max(groups.values(), key=_rank_group) + unknown

    def sum_worker_tallies(self, main: WatchedProcess) -> SampleTally:
        """
        What all workers of a main process have shown, ended ones included.

        The same object until somebody is looked at again; not to be changed.
        """
        pid = main.member.pid
        known = self._sums.get(pid)
        if known is None:
            known = self._sums[pid] = sum_tallies([w.tally for w in self.list_delivering(main)])
            if pid in self.ended_workers:
                known.add(self.ended_workers[pid].tally)
        return known

    def list_item_times(self, main: WatchedProcess) -> list[tuple[float, float]]:
        """How long items were seen to take, and in how many looks."""
        found = [row for w in self.list_workers(main) for row in w.items]
        gone = self.ended_workers.get(main.member.pid)
        return found + (list(gone.items) if gone else [])

    def find_batch_length(self, main: WatchedProcess) -> int | None:
        """Items in a batch."""
        gone = self.ended_workers.get(main.member.pid)
        known = (w.batch_length for w in self.list_workers(main))
        return next((n for n in known if n), gone.length if gone else None)

    def remove_process(self, pid: int, now: float) -> None:
        """A process has ended: keep what it has shown."""
        process = self.processes.pop(pid)
        self.forget_sums()
        end = EndedProcess(process, now, process.state)
        process.counters.close()
        self.resources.pop(pid, None)
        main = process.member.main
        if process.member.role == "main":
            self.ended_mains[pid] = process
        elif process.member.role == "worker":
            self.ended_workers.setdefault(main, EndedWorkers()).add(process)
            if main in self.processes:
                self.processes[main].has_received = False
        if process.member.role != "helper" and len(self.ended) < _MAX_ENDED:
            self.ended.append(end)
        self._group_by_role()
        self.schedule_refresh()

    def refresh(self, *, first: bool = False) -> None:
        """Look who belongs to the job; raises UnreadableError the first time."""
        try:
            members = list_job_processes(self.pid, self._proc)
        except (UnreadableError, OSError) as error:
            if first:
                raise UnreadableError(str(error)) from None
            members = []
        if not first and not members:
            members = [p.member for p in self.processes.values()]
        self._update_members(members)

    def _keep_mains(self, members: list[JobProcess]) -> list[JobProcess]:
        """A main process that has loaded data stays one: what it forks is no other one yet."""
        here = {member.pid: member for member in members}
        kept = {pid for pid in self.pids_by_role["main"] if self.processes[pid].has_loaded}
        kept = {pid for pid in kept if pid in here and here[pid].role == "helper"}
        if not kept:
            return members
        found: list[JobProcess] = []
        for member in members:
            if member.pid in kept:
                found.append(self.processes[member.pid].member)
            elif member.role == "main" and member.parent in kept:
                found.append(replace(member, role="helper", main=member.parent))
            else:
                found.append(member)
        return found

    def _update_members(self, members: list[JobProcess]) -> None:
        members = self._keep_mains(members)
        self._note_starts(members)
        for member in sorted(members, key=lambda m: m.role != "main"):
            known = self.processes.get(member.pid)
            if known is not None:
                if known.member.role == member.role:
                    continue
                known.counters.close()
            if member.role == "helper":
                continue
            self._add_process(member)
        here = {member.pid: member.role for member in members}
        for pid in [p for p in self.processes if here.get(p, "helper") == "helper"]:
            self.remove_process(pid, self.clock())
        self._group_by_role()
        self._update_details()

    def _note_starts(self, members: list[JobProcess]) -> None:
        """Who has new processes that still import; one never seen before is a start again."""
        starting = [member for member in members if member.is_starting]
        self.starts_workers = {member.main for member in starting}
        for member in starting:
            main = self.processes.get(member.main)
            if main is not None and member.pid not in self._seen_starting:
                main.has_received = False
        self._seen_starting = {member.pid for member in starting}

    def _add_process(self, member: JobProcess) -> None:
        """Watch a process from now on, unless it has ended already."""
        try:
            process = WatchedProcess(
                member,
                self._proc,
                self.processes.get(member.main),
                stacks=self._stacks,
            )
        except (ProcessGoneError, OSError):
            self.processes.pop(member.pid, None)
            return
        if self._has_ended(process):
            process.counters.close()  # a zombie, which nobody has waited for yet
            return
        self.processes[member.pid] = process
        self.resources[member.pid] = ProcessResources(member.pid, self._proc)

    def _has_ended(self, process: WatchedProcess) -> bool:
        """Was the end of this process, not of another one of its number, seen before?"""
        pid = process.member.pid
        before = [e.process for e in self.ended if e.process.member.pid == pid]
        if pid in self.ended_mains:
            before.append(self.ended_mains[pid])
        return any(p.counters.start == process.counters.start for p in before)

    def is_zombie(self, end: EndedProcess) -> bool:
        """Has nobody waited for a process that has ended, until now?"""
        try:
            counters = ProcessCounters(end.process.member.pid, self._proc)
        except ProcessGoneError:
            return False
        try:
            same = counters.start == end.process.counters.start
            return same and counters.read().state == "Z"
        except ProcessGoneError:
            return False
        finally:
            counters.close()

    def _update_details(self) -> None:
        """What is only known once the program has begun: its interpreter, torch."""
        if self.clock() >= self._mounts_at:
            self._mounts_at = self.clock() + _MOUNTS_INTERVAL
            self.mounts = mounts(self.machine) or self.mounts
        for process in self.processes.values():
            process.attach(self._proc, self.processes.get(process.member.main))
            main = process.member.main
            count = sum(p.member.main == main for p in self.processes.values()) - 1
            process.prefetchers.has_workers |= count > 0
            self.most_workers[main] = max(count, self.most_workers.get(main, 0))
            if process.member.role == "main" and not self.uses_torch:
                maps = read_or_default(self._proc / str(process.member.pid) / "maps")
                self.uses_torch = "libtorch" in maps
        words = read_or_default(self._proc / str(self.pid) / "cmdline").split("\0")
        self.command = " ".join(word for word in words if word) or self.command

    def _group_by_role(self) -> None:
        for role in self.pids_by_role:
            self.pids_by_role[role] = [
                pid for pid, p in self.processes.items() if p.member.role == role
            ]

    def schedule_refresh(self) -> None:
        """Look at the process tree soon."""
        self.tree.schedule_soon(self.clock(), _MIN_REFRESH_SECONDS)

    def forget_sums(self) -> None:
        """Somebody was looked at: what was summed up is no longer true."""
        self._sums.clear()

    def decay_tallies(self, seconds: float) -> None:
        """Let old samples lose weight."""
        self.forget_sums()
        for process in self.processes.values():
            process.tally.decay(seconds)
        for gone in self.ended_workers.values():
            gone.tally.decay(seconds)


def _rank_group(workers: list[WatchedProcess]) -> tuple[bool, float]:
    """Have workers something to do these seconds, and which share of their time had they?"""
    active = not all(
        w.phase is ProcessPhase.IDLE and w.sampled_at - w.changed_at > _IDLE_SECONDS
        for w in workers
    )
    return active, 1.0 - sum_tallies([w.tally for w in workers]).compute_share("idle")
