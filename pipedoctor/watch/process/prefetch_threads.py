"""Does a main process that waits for one of its threads wait for data?"""

import contextlib
from collections import Counter
from collections.abc import Sequence

from pipedoctor.watch.stacks.frame_reader import FrameReader, RemoteFrame, ThreadStack
from pipedoctor.watch.stacks.function_roles import find_user_frame, label_frames
from pipedoctor.watch.stacks.remote_memory import TornReadError
from pipedoctor.watch.stacks.stack_phases import (
    LOADING_PHASES,
    ProcessPhase,
    StackSample,
    classify_main_stack,
    classify_receiving,
)
from pipedoctor.watch.stacks.thread_stacks import read_thread_stacks
from pipedoctor.watch.stacks.variable_types import list_variable_types

_GIVING_NAMES = frozenset(("put", "put_nowait"))
_LOADS = LOADING_PHASES | {ProcessPhase.STARTING}
_PINNING_FILE = "/torch/utils/data/_utils/pin_memory.py"
_MAX_THREADS = 256
_MIN_LOOKS, _MOSTLY = 4, 0.5
_LOADER_TYPE = "DataLoader"
"""In the names of torch's types: `DataLoader`, and its iterators."""
_MAX_SEARCHES, _MAX_FRAMES = 5, 6


def _find_place(sample: StackSample) -> tuple[int, int]:
    frame = sample.frame
    return (frame.code_address, frame.instruction) if frame is not None else (0, 0)


class PrefetchThreads:
    """
    The threads of one main process that take batches from a loader for it.

    Only their stacks tell a queue that they fill from any other queue.
    """

    def __init__(self) -> None:
        self._loading: set[int] = set()
        """States of threads that were seen in a loader, or hold one."""
        self._searches: Counter[int] = Counter()
        """How often the variables of a thread were searched."""
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        """Where the main thread waited: how often a thread was loading then, of how often."""
        self.has_workers = False
        """Has it workers of a loader, which some thread must ask for batches?"""

    def find_cause(
        self, reader: FrameReader, sample: StackSample, frames: Sequence[RemoteFrame]
    ) -> StackSample:
        """
        What a thread that prefetches, or pins, does where the main one waits for it.

        `frames`: of the main thread.
        """
        if not sample.queued and not sample.pinned:
            return sample
        try:
            stacks = read_thread_stacks(reader)
        except TornReadError:
            return sample
        if sample.pinned:
            return _find_pinning(stacks, sample)
        found = self._judge(reader, stacks, sample)
        if found.phase is not ProcessPhase.COMPUTING or self._loading or self.has_workers:
            return found
        if self._holds_loader(reader, ThreadStack(0, None, tuple(frames))):
            self._loading.add(0)
            return found
        return found._replace(loads_unseen=True, frame=_find_busy_frame(stacks) or found.frame)

    def _judge(
        self, reader: FrameReader, stacks: list[ThreadStack], sample: StackSample
    ) -> StackSample:
        """Does one of these threads fill the queue that the main one waits for?"""
        found = [s for stack in stacks if (s := self._classify_thread(reader, stack)) is not None]
        loads, looks = self._places.get(_find_place(sample), (0, 0))
        loads, looks = loads + bool(found), looks + 1
        if len(self._places) < _MAX_THREADS or looks > 1:
            self._places[_find_place(sample)] = loads, looks
        if found:
            return min(found, key=lambda s: s.phase is ProcessPhase.WAITING)
        if looks >= _MIN_LOOKS and loads > _MOSTLY * looks:
            return sample._replace(phase=ProcessPhase.WAITING)
        if (self._loading or self.has_workers) and sample.phase is ProcessPhase.WAITING:
            return sample._replace(phase=ProcessPhase.COMPUTING)
        return sample

    def _classify_thread(self, reader: FrameReader, stack: ThreadStack) -> StackSample | None:
        """None: it takes nothing from a loader, or waits until somebody takes a batch."""
        if not stack.frames:
            return None
        sample = classify_main_stack(stack.frames)
        if sample.phase in _LOADS:
            self._remember(stack)
            return sample._replace(thread=stack.native)
        names = {frame.code.name.rpartition(".")[2] for frame in stack.frames[:4]}
        if stack.state not in self._loading and self._holds_loader(reader, stack):
            self._remember(stack)
        if stack.state not in self._loading or names & _GIVING_NAMES:
            return None
        phase = ProcessPhase.WAITING if stack.native is None else ProcessPhase.CONVERTING
        return StackSample(phase, sample.frame, thread=stack.native)

    def _remember(self, stack: ThreadStack) -> None:
        if len(self._loading) >= _MAX_THREADS:
            self._loading.clear()
        self._loading.add(stack.state)

    def _holds_loader(self, reader: FrameReader, stack: ThreadStack) -> bool:
        """
        Is a loader among the variables of a thread, or what it iterates over?

        One that converts for long is hardly ever seen to take a batch.
        """
        self._searches[stack.state] += 1
        if self._searches[stack.state] > _MAX_SEARCHES or len(self._searches) > _MAX_THREADS:
            return False
        for frame in stack.frames[:_MAX_FRAMES]:
            with contextlib.suppress(TornReadError):
                if any(_LOADER_TYPE in name for name in list_variable_types(reader, frame)):
                    return True
        return False


def _find_busy_frame(stacks: list[ThreadStack]) -> RemoteFrame | None:
    """The user's line in a thread that waits for no other one."""
    for stack in stacks:
        sample = classify_main_stack(stack.frames)
        if sample.frame is not None and not sample.queued:
            return sample.frame
    return None


def _find_pinning(stacks: list[ThreadStack], sample: StackSample) -> StackSample:
    """What the threads that pin batches do; those of other loaders may wait."""
    found = [s for stack in stacks if (s := _classify_pinning(stack)) is not None]
    return min(found, key=lambda s: s.phase is ProcessPhase.WAITING, default=sample)


def _classify_pinning(stack: ThreadStack) -> StackSample | None:
    """Torch's thread takes batches in, copies them to pinned memory, and hands them on."""
    names = [f.code.name.rpartition(".")[2] for f in stack.frames]
    pins = [f.code.path.endswith(_PINNING_FILE) for f in stack.frames]
    if not any(name == "_pin_memory_loop" and p for name, p in zip(names, pins, strict=True)):
        return None
    end = pins.index(True)
    inner, labels = stack.frames[:end], label_frames(stack.frames)[:end]
    sample = classify_receiving(inner, labels, find_user_frame(inner, labels))
    if names[end] == "pin_memory":
        mine = sample.frame.code.name.rpartition(".")[2] if sample.frame is not None else ""
        copies = mine in {"", "pin_memory"}  # a batch of a class of the user's that pins its parts
        phase = ProcessPhase.RECEIVING if copies else ProcessPhase.CONVERTING
        sample = sample._replace(phase=phase, rebuilds=False)
    return sample._replace(thread=stack.native)


def settle_phase(sample: StackSample, *, running: bool) -> StackSample:
    """A thread that has taken a batch converts it while it runs; else it waits as well."""
    if sample.phase is not ProcessPhase.CONVERTING or running:
        return sample
    return sample._replace(phase=ProcessPhase.WAITING)
