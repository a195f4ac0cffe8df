"""The threads of a worker that pack its batches and hand them to the main process."""

from pipedoctor.watch.stacks.frame_reader import FrameReader, RemoteFrame
from pipedoctor.watch.stacks.remote_memory import TornReadError
from pipedoctor.watch.stacks.thread_stacks import read_thread_stacks
from pipedoctor.watch.system.process_counters import CounterReading, ProcessCounters

_PACKING_FUNCTIONS = (
    ("/multiprocessing/queues.py", "_feed"),
    ("/multiprocessing/resource_sharer.py", "_serve"),
)
_MAX_TRIES = 4
_MIN_SHARE = 0.05
"""Of the CPU time of a process, that its other threads take before anybody looks for them."""


class PackingThreads:
    """
    Their CPU time, once they are found: they are no threads of a numerical library.

    Not found in CPython 3.10, which does not know the kernel's number of a thread.
    """

    def __init__(self) -> None:
        self._threads: set[int] = set()
        self._tries = 0

    def read_cpu(
        self, reader: FrameReader, counters: ProcessCounters, reading: CounterReading
    ) -> float | None:
        """Seconds that they have computed so far; None: not known."""
        expected = len(_PACKING_FUNCTIONS)
        if len(self._threads) < expected and self._tries < _MAX_TRIES and _has_others(reading):
            self._tries += 1
            self._threads |= _find_packing(reader)
        spent = [counters.read_thread_cpu(thread) for thread in self._threads]
        known = [seconds for seconds in spent if seconds is not None]
        return sum(known) if known else None


def _has_others(reading: CounterReading) -> bool:
    if reading.cpu is None or reading.main_cpu is None:
        return False
    return reading.cpu - reading.main_cpu > _MIN_SHARE * reading.cpu


def _find_packing(reader: FrameReader) -> set[int]:
    try:
        stacks = read_thread_stacks(reader)
    except (TornReadError, OSError):
        return set()
    return {s.native for s in stacks if s.native is not None and any(map(_packs, s.frames))}


def _packs(frame: RemoteFrame) -> bool:
    name = frame.code.name.rpartition(".")[2]
    return any(name == n and frame.code.path.endswith(p) for p, n in _PACKING_FUNCTIONS)
