"""One process under watch: looked at again and again, each time for about 0.1 ms."""

import time
from pathlib import Path

from pipedoctor.facts import UnreadableError
from pipedoctor.watch.process.call_targets import find_call_target
from pipedoctor.watch.process.loader_callers import LoaderCallers
from pipedoctor.watch.process.packing_threads import PackingThreads
from pipedoctor.watch.process.prefetch_threads import PrefetchThreads, settle_phase
from pipedoctor.watch.process.unread_stacks import NOT_WANTED, PTRACE_DENIED
from pipedoctor.watch.process.work_samples import WORKING_PHASES, SampleSource, count_work
from pipedoctor.watch.samples.batch_times import BatchTimes
from pipedoctor.watch.samples.called_names import find_code_root
from pipedoctor.watch.samples.item_times import ItemTimes
from pipedoctor.watch.samples.tally import CodeLine, SampleTally
from pipedoctor.watch.stacks.frame_layout import UnknownLayoutError
from pipedoctor.watch.stacks.frame_reader import FrameReader, RemoteFrame
from pipedoctor.watch.stacks.remote_memory import TornReadError
from pipedoctor.watch.stacks.stack_phases import (
    LOADING_PHASES,
    ProcessPhase,
    StackClassifier,
    StackSample,
    is_loading,
)
from pipedoctor.watch.stacks.stack_reader import StackReader
from pipedoctor.watch.system.process_counters import BlockingCall, CounterReading, ProcessCounters
from pipedoctor.watch.system.process_tree import JobProcess

_MAX_TORN_READS, _MAX_ATTACHES = 10, 12
_OWN_LINES = {ProcessPhase.SAMPLING: "chosen", ProcessPhase.CONVERTING: "converted"}
_LOOKS_PER_READING = 8
"""So many looks come on one reading of the kernel's counters."""


class WatchedProcess:
    """One process, its tally, and what it was seen at last."""

    has_delivered = False
    """Was it seen to make another batch than its first one?"""
    has_loaded = False
    """Was it seen in a loader?"""
    is_starting = False
    """It started workers, and has not got a batch of them yet."""
    has_received = False
    """It has got a batch since somebody was last seen to start workers."""
    seeks_workers = False
    """It was seen to wait for workers before any was known."""

    def __init__(
        self,
        member: JobProcess,
        proc: Path = Path("/proc"),
        parent: "WatchedProcess | None" = None,
        *,
        stacks: bool = True,
    ) -> None:
        self.member = member
        self.counters = ProcessCounters(member.pid, proc)
        self.tally, self.prefetchers = SampleTally(), PrefetchThreads()
        self.unknown: dict[str, str] = {} if stacks else {"stacks": NOT_WANTED}
        self.reader: FrameReader | None = None
        self._stacks, self._tries, self._torn = stacks, 0, 0
        self.attach(proc, parent)
        self.code_root = find_code_root(member.pid, proc) if member.role == "main" else ""
        self.began = self.sampled_at = time.monotonic()
        self._classifier = StackClassifier(is_worker=member.role == "worker")
        self.phase: ProcessPhase | None = None
        self.state, self.threads = "", 0
        self.batch: int | None = None
        self.sampled_batch: int | None = None
        """The batch that the last look has seen."""
        self.batch_length: int | None = None
        self.loader = 0
        """The seed that the workers of one iterator share; 0: not known."""
        self.code_line: CodeLine | None = None
        self.changed_at = self.began
        """When its stack last stood at another line, or at another batch."""
        self.items, self.batch_times = ItemTimes(), BatchTimes()
        self._last: CounterReading | None = None
        self._packers, self._packed = PackingThreads(), 0.0
        self._turn, self._counted_at, self._callers = 0, self.began, LoaderCallers()

    def attach(self, proc: Path, parent: "WatchedProcess | None") -> None:
        """
        Find the interpreter, if it is not known yet.

        A program that has only just begun has none, and one that calls exec another.
        """
        if self.reader is not None and self._torn > _MAX_TORN_READS:
            self.reader = None
        if self.reader is None and self._stacks and self._tries < _MAX_ATTACHES:
            self._tries, self._torn = self._tries + 1, 0
            self.reader = self._open_reader(proc, parent)
            if self.reader is not None:
                self.unknown.pop("stacks", None)

    def _open_reader(self, proc: Path, parent: "WatchedProcess | None") -> FrameReader | None:
        known = parent.reader if parent else None  # others know no addresses
        above = known if isinstance(known, StackReader) else None
        try:
            return StackReader(self.member.pid, proc / str(self.member.pid), parent=above)
        except UnknownLayoutError as error:
            return self._open_program(error)
        except (PermissionError, UnreadableError):
            self.unknown["stacks"] = PTRACE_DENIED
        except (OSError, TornReadError) as error:
            self.unknown["stacks"] = str(error)
        return None

    def _open_program(self, reason: UnknownLayoutError) -> FrameReader | None:
        """py-spy knows more interpreters, and costs more; None: it does not know this one."""
        self.unknown["stacks"] = str(reason)
        if reason.version is None:
            return None
        self._tries = _MAX_ATTACHES  # neither will know it later
        from pipedoctor.watch.stacks import program_reader  # noqa: PLC0415  (few jobs need it)

        try:
            return program_reader.open_program(self.member.pid, reason.version, self.member.role)
        except UnreadableError as error:
            self.unknown["stacks"] = f"{reason}; {error}"
            return None

    def take_sample(self, now: float, *, alone: bool = False) -> StackSample | None:
        """
        One sample; raises GoneError where the process has ended.

        The file `syscall` tells whether it runs as well, and costs a third of `stat`.
        `alone`: it has no worker that has begun to work.
        """
        self._turn += 1
        blocked = self.counters.read_blocking_call() if self.reader is not None else None
        known = blocked is not None or "syscall" not in self.counters.unknown
        if self.reader is None or self._turn % _LOOKS_PER_READING == 1 or not known:
            reading = self.counters.read()
            self.state, self.threads = reading.state, reading.threads
            self._add_counters(reading, now)
        elif self.state not in "ZX":
            self.state = "R" if blocked is None else "S"
        self.sampled_batch = None
        sight, self.sampled_at = self._read_stack() if self.reader is not None else None, now
        waits = sight is not None and sight.phase is ProcessPhase.WAITING and not sight.queued
        if sight is not None and sight.phase is ProcessPhase.STARTING:
            self.has_received = False
        if sight is not None and waits and alone:
            sight = sight._replace(phase=ProcessPhase.STARTING)
        if sight is not None:
            running = self.state == "R"
            if sight.thread is not None:
                blocked = self.counters.read_thread_call(sight.thread)
                running = blocked is None
                sight = settle_phase(sight, running=running)
            self._count_sample(sight, blocked, running=running, now=now)
        return sight

    def _add_counters(self, reading: CounterReading, now: float) -> None:
        last, self._last = self._last, reading
        packed = self._read_packing(reading)
        if last is None or reading.state in "ZX":
            self._counted_at = now
            return
        tally, spent = self.tally, now - self._counted_at
        self._counted_at = now
        tally.seconds += spent
        tally.user += reading.user - last.user
        tally.system += reading.system - last.system
        tally.faults += reading.faults - last.faults
        tally.children += reading.children - last.children
        tally.packing += packed
        if reading.cpu is not None and last.cpu is not None:
            tally.cpu += reading.cpu - last.cpu
        if reading.main_cpu is not None and last.main_cpu is not None:
            tally.main_cpu += reading.main_cpu - last.main_cpu
        if reading.main_delay is not None and last.main_delay is not None:
            tally.delay += reading.main_delay - last.main_delay

    def _read_packing(self, reading: CounterReading) -> float:
        """CPU seconds that packing batches took since the last reading."""
        if self.member.role != "worker" or self.reader is None:
            return 0.0
        known = self._packers.read_cpu(self.reader, self.counters, reading)
        before = self._packed
        self._packed = known or before
        return self._packed - before if before else 0.0

    def _read_stack(self) -> StackSample | None:
        assert self.reader is not None  # noqa: S101  (the caller looked)
        try:
            frames = self.reader.read_frames()
            sight = self._assign_release(self._classifier.classify(frames), frames)
            if self.member.role != "worker":
                sight = self.prefetchers.find_cause(self.reader, sight, frames)
            if sight.loop is not None:
                self._track_batch(sight)
        except TornReadError:
            self.tally.torn += 1
            self._torn += 1
            return None
        except OSError as error:
            self.unknown["stacks"] = PTRACE_DENIED if error.errno in {1, 13} else str(error)
            self._torn += 1
            return None
        self._torn = 0
        self.unknown.pop("stacks", None)
        return sight

    def _assign_release(self, sight: StackSample, frames: list[RemoteFrame]) -> StackSample:
        """Letting go of the batch before belongs to getting the next one."""
        if self.member.role == "worker" or self.reader is None or not frames:
            return sight
        if not self.reader.knows_instructions:
            return sight
        if sight.phase in LOADING_PHASES:
            self._callers.remember(frames, self.reader)
        elif sight.phase is ProcessPhase.COMPUTING and self._callers.is_release(
            frames[0], self.reader.version
        ):
            return sight._replace(phase=ProcessPhase.RECEIVING)
        return sight

    def _track_batch(self, sight: StackSample) -> None:
        """Which batch, and which item of it, is being made."""
        assert self.reader is not None and sight.loop is not None  # noqa: S101, PT018
        now = time.monotonic()
        batch = self.sampled_batch = self.reader.read_integer(sight.loop, "idx")
        if batch is not None and batch != self.batch:
            self.has_delivered |= self.batch is not None
            self.batch, self.changed_at = batch, now
        if not self.loader:
            self.loader = self.reader.read_integer(sight.loop, "base_seed") or 0
        if sight.phase not in WORKING_PHASES:
            self.items.finish_item()
            return
        if self.batch_length is None:
            self.batch_length = self.reader.read_length(sight.loop, "index")
        item = self.reader.read_integer(sight.fetch, "idx") if sight.fetch else None
        length = self.batch_length if item is None else 1
        cpu, waits = self.counters.read_schedule()[0], self.state != "R"
        self.items.observe_item((self.batch, item), now, cpu, waits=waits, length=length or 1)

    def _count_sample(
        self, sight: StackSample, blocking_call: BlockingCall | None, *, running: bool, now: float
    ) -> None:
        self.phase = sight.phase
        if not self._has_begun(sight):
            return
        tally, place = self.tally, self._find_code_line(sight.frame)
        tally.samples += 1
        if place != self.code_line:
            self.code_line, self.changed_at = place, now
        self._count_phase(sight, place, running=running)
        source = SampleSource(self.counters, self.reader.memory if self.reader else None)
        if sight.phase in WORKING_PHASES:
            count_work(tally, sight, place, blocking_call, source, running=running)
        elif sight.phase in _OWN_LINES and place is not None:
            getattr(tally, _OWN_LINES[sight.phase])[place] += 1
        elif sight.phase is ProcessPhase.RECEIVING:
            tally.fetch.update(rebuilds=sight.rebuilds, taking=running)
        elif blocking_call is not None and not is_loading(sight.phase, self.member.role):
            tally.calls[blocking_call.call.name, find_call_target(blocking_call, *source)] += 1

    def _count_phase(self, sight: StackSample, place: CodeLine | None, *, running: bool) -> None:
        """Which share of the time this sample belongs to."""
        tally, inside = self.tally, is_loading(sight.phase, self.member.role)
        if sight.phase is ProcessPhase.STARTING:
            tally.fetch["starts"] += not self.is_starting
            self.is_starting = True
        elif sight.phase is not ProcessPhase.WAITING:
            self.has_received |= self.is_starting
            self.is_starting = False
        if inside or sight.phase is ProcessPhase.STARTING:
            phase = ProcessPhase.STARTING if self.is_starting else sight.phase
            tally.phases[phase.value] += 1
            tally.fetch["woken"] += running and phase is ProcessPhase.WAITING
            return
        tally.phases[sight.phase.value if running else "blocked"] += 1
        tally.fetch["queued"] += sight.loads_unseen and not (running or self.has_loaded)
        if place is not None:
            tally.steps[place] += 1
            tally.ran[place] += running and sight.phase is ProcessPhase.COMPUTING

    def _has_begun(self, sight: StackSample) -> bool:
        """Does it train? What comes before it is getting ready, and then it ends."""
        if not self.has_loaded and sight.phase in LOADING_PHASES | {ProcessPhase.STARTING}:
            self.has_loaded = True
            self.tally.restart()
        imports = sight.phase is ProcessPhase.IMPORTING and not self.has_loaded
        return not imports and sight.phase is not ProcessPhase.ENDING

    def list_batch_seconds(self) -> list[float]:
        """How long this worker took for each batch that it was seen to make."""
        working = self.tally.compute_share(*(phase.value for phase in WORKING_PHASES))
        return self.batch_times.list_seconds(working)

    def _find_code_line(self, frame: RemoteFrame | None) -> CodeLine | None:
        if frame is None or self.reader is None:
            return None
        return frame.code.path, self.reader.find_line(frame), frame.code.name
