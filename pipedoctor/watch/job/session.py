"""
Watch one job: a constant number of looks a second, whatever the number of processes.

At most 100 looks a second for the first 3 s, then 20, over all processes in turn: every
other one at a main process (`InitialPhase` tells when they begin); fewer where they would
take more CPU than `cpu_budget` allows. Each look is one sample of `WatchedProcess`. Whatever
fails here is noted and goes on without that signal; the job never notices.
"""

import contextlib
import os
import random
import time
from collections.abc import Callable, Iterator

from pipedoctor.collect.machine import Machine
from pipedoctor.watch.job.batch_progress import BatchProgress
from pipedoctor.watch.job.cpu_budget import (
    INITIAL_SHARE,
    PROGRAM_SHARE,
    STACKLESS_PART,
    STACKLESS_SHARE,
    STEADY_SHARE,
    CpuBudget,
    InitialPhase,
    PeriodicRead,
)
from pipedoctor.watch.job.fresh_workers import waits_for_fresh_workers
from pipedoctor.watch.job.held_up_workers import count_held_up
from pipedoctor.watch.job.job_processes import JobProcesses
from pipedoctor.watch.job.timeline import JobTimeline
from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.stacks.stack_phases import ProcessPhase
from pipedoctor.watch.system.gpu_counters import GpuCounters
from pipedoctor.watch.system.job_limits import JobLimits
from pipedoctor.watch.system.process_counters import ProcessGoneError

INITIAL_RATE, STEADY_RATE, STACKLESS_RATE = 100.0, 20.0, 5.0
"""Looks a second, at most: at first and then; and where no stack can be read."""
_LOOKS_PER_TURN, _MANY_WORKERS = 8, 8
_JITTER = 0.3
_RESOURCES_INTERVAL, _LIMITS_INTERVAL, _WALK_INTERVAL = 0.7, 10.0, 3.0
_FIRST_WALK_SECONDS = 12.0
"""A walk takes as much as looks of seconds: those before the first verdict are needed."""
_RESOURCES_SHARE, _LIMITS_SHARE, _WALK_SHARE = 0.0004, 0.00005, 0.0002
_RATES_INTERVAL, _RATES_SHARE = 1.0, 0.0002
"""Seconds between two reads, and the CPU that they may take."""
_MAX_PREFETCH = 16
"""Batches for each worker that are made before the first one is taken."""


class WatchSession(JobProcesses):
    """
    A job under watch. `run` looks; the figures stand in `processes` and the rest.

    Raises UnreadableError where there is no such process.
    """

    def __init__(
        self,
        pid: int,
        *,
        machine: Machine | None = None,
        stacks: bool = True,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        super().__init__(pid, machine=machine, stacks=stacks, clock=clock)
        self._sleep = sleep
        self.unknown: dict[str, str] = {}
        self.progress = BatchProgress()
        self.limits = JobLimits(self.machine)
        self.gpus = GpuCounters(self.machine)
        self.timeline = JobTimeline()
        self.read_all_resources()
        self.limits.read(clock())
        self.began = clock()
        """After attaching, which takes long on a busy machine."""
        self._cpu = time.process_time()
        self._budget = CpuBudget(self._read_cpu)
        self._turn_at = self._paced_at = self._ran_at = self.began
        self._initial = InitialPhase()
        part = 1.0 if stacks else STACKLESS_PART

        def read_after(first: float, interval: float, share: float) -> PeriodicRead:
            return PeriodicRead(interval, part * share, first=self.began + first)

        self._resources = read_after(_RESOURCES_INTERVAL, _RESOURCES_INTERVAL, _RESOURCES_SHARE)
        self._limits = read_after(_LIMITS_INTERVAL, _LIMITS_INTERVAL, _LIMITS_SHARE)
        self._rates = read_after(_RATES_INTERVAL, _RATES_INTERVAL, _RATES_SHARE)
        self._walks = read_after(_FIRST_WALK_SECONDS, _WALK_INTERVAL, _WALK_SHARE)
        self._turn = self._resource_turn = 0

    @property
    def seconds(self) -> float:
        """How long it has been watched."""
        return self.clock() - self.began

    @property
    def own_cpu(self) -> float:
        """CPU seconds a second that watching takes."""
        return (time.process_time() - self._cpu) / max(self.seconds, 1e-9)

    def run(self, until: float) -> None:
        """Look until so many seconds of watching are over, or the job is."""
        end = self.began + until
        self._budget.resume(self._get_share(self.clock()), self.clock() - self._ran_at)
        while self.is_alive and (now := self.clock()) < end:
            if now < self._turn_at:
                self._sleep(min(self._turn_at, end) - now)
                continue
            looks = self._choose_processes()
            for pid in looks:
                self._sample_process(pid, now)
            self._run_periodic_reads(now)
            self._turn_at = now + self._compute_pause(now, len(looks))
        self._ran_at = self.clock()

    def _compute_pause(self, now: float, looks: int) -> float:
        """Seconds from a turn with so many looks to the next one."""
        rate = STEADY_RATE
        if not self._has_stack_reader():
            rate = STACKLESS_RATE
        elif self._initial.is_running(now):
            rate = INITIAL_RATE
        elapsed, self._paced_at = now - self._paced_at, now
        pause = self._budget.compute_pause(self._get_share(now), elapsed)
        pause = max(max(1, looks) / rate, pause)
        return pause * random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311

    def _get_share(self, now: float) -> float:
        """Of a CPU, that looks may take now."""
        if not self._has_stack_reader():
            return STACKLESS_SHARE
        if self._read_program_cpu():
            return PROGRAM_SHARE
        return INITIAL_SHARE if self._initial.is_running(now) else STEADY_SHARE

    def _read_cpu(self) -> float:
        return time.thread_time() + self._read_program_cpu()

    def _read_program_cpu(self) -> float:
        """Seconds of programs that read stacks; 0: there is none."""
        return sum(p.reader.program_cpu for p in self.processes.values() if p.reader is not None)

    def _has_stack_reader(self) -> bool:
        return any(p.reader is not None for p in self.processes.values())

    def _sample_process(self, pid: int, now: float) -> None:
        process = self.processes.get(pid)
        if process is None:
            return
        try:
            process.take_sample(now, alone=self.awaits_first_worker(process))
        except ProcessGoneError:
            self.remove_process(pid, now)
            return
        self.forget_sums()
        if process.state in "ZX":
            self.remove_process(pid, now)
            return
        self._count_batches(process)
        loaded = process.has_loaded and not self._lacks_workers(process)
        self._initial.observe(now, sampled=process.tally.samples > 0, loaded=loaded)

    def awaits_first_worker(self, process: WatchedProcess) -> bool:
        """Does a main process wait for workers that are only being started?"""
        member = process.member
        if member.role != "main":
            return False
        workers = self.list_workers(process)
        if not workers:
            starts = process.is_starting or member.pid in self.starts_workers
            if self._lacks_workers(process) and not process.seeks_workers:
                process.seeks_workers = True
                self.tree.schedule_now()
            elif starts or process.seeks_workers:
                self.schedule_refresh()
            return starts and not process.has_received
        return waits_for_fresh_workers(workers, again=member.pid in self.ended_workers)

    def _lacks_workers(self, process: WatchedProcess) -> bool:
        """Does a main process wait for workers that are not known yet?"""
        waits = process.phase in {ProcessPhase.WAITING, ProcessPhase.RECEIVING}
        return waits and process.member.role == "main" and not self.list_workers(process)

    def _choose_processes(self) -> list[int]:
        """
        A main process and a worker: what comes together costs one waking up.

        A worker has several turns, so that it shows how long items last; at first, one each.
        """
        mains, workers = self.pids_by_role["main"], self.pids_by_role["worker"]
        self._turn += 1
        found = [mains[self._turn % len(mains)]] if mains else []
        if workers:
            burst = _LOOKS_PER_TURN if len(workers) <= _MANY_WORKERS else _LOOKS_PER_TURN // 2
            burst = 1 if self._turn <= len(workers) else burst
            found.append(workers[self._turn // burst % len(workers)])
        return found

    def _count_batches(self, process: WatchedProcess) -> None:
        """What a worker does tells of it, and of its main process."""
        batch, now, main = process.sampled_batch, process.sampled_at, process.member.main
        if process.member.role != "worker":
            return
        owner = self.processes.get(main)
        same = self.list_workers(owner) if owner is not None else [process]
        count_held_up(process, owner, same)
        if batch is None:  # it has nothing to do
            return
        process.tally.batches += process.batch_times.observe_batch(now, batch, len(same))
        self.progress.observe_batch(main, batch, len(same), now)
        if owner is not None and batch >= len(same):
            owner.is_starting = False  # somebody makes his second batch
            owner.has_loaded |= batch > _MAX_PREFETCH * len(same)

    def _run_periodic_reads(self, now: float) -> None:
        """What costs more than a look, each in its own time."""
        if self.tree.is_due(now):
            self.tree.run(now, self.refresh)
        if self._resources.is_due(now):
            self._resources.run(now, lambda: self._read_resources(now))
        if self._walks.is_due(now):
            self._walks.run(now, lambda: self._walk_memory(now))
        if self._rates.is_due(now):
            self._rates.run(now, self.limits.read_rates)
        if self._limits.is_due(now):
            self._limits.run(now, lambda: self.limits.read(now))

    def _read_resources(self, now: float) -> None:
        """One process in turn, and the first main process twice as often."""
        self.limits.read_shm(now)
        pids = list(self.resources)
        if not pids:
            return
        self._resource_turn += 1
        pid = pids[0] if self._resource_turn % 4 == 1 else pids[self._resource_turn % len(pids)]
        try:
            self.resources[pid].read(now)
        except OSError as error:
            self.unknown["holdings"] = os.strerror(error.errno or 0)

    def read_all_resources(self) -> None:
        """Every process: as the watch begins, and as it ends."""
        now = self.clock()
        for held in list(self.resources.values()):
            with contextlib.suppress(OSError):
                held.read(now)

    def _walk_memory(self, now: float) -> None:
        """The private pages of one process, whose turn it is."""
        for process in self.resources.values():
            if process.read_private_memory(now):
                return

    def end_interval(self, interval: float) -> None:
        """Keep a point of the timeline, and let old samples lose weight."""
        known = [d.busy for d in self.gpus.list_devices() if d.busy is not None]
        gpu = sum(known) / len(known) if known else None
        self.timeline.add(self.seconds, self, self.limits, gpu)
        self.decay_tallies(interval)
        self.limits.decay(interval)
        self.timeline.rebase(self)

    def close(self) -> None:
        """Let go of everything."""
        for process in self.processes.values():
            process.counters.close()
        self.gpus.close()

    def run_intervals(self, interval: float, until: float) -> Iterator[float]:
        """Watch, and come back after each interval with the seconds so far."""
        end = 0.0
        while self.is_alive and end < until:
            end = min(end + interval, until)
            self.run(end)
            self.end_interval(interval)
            yield self.seconds
