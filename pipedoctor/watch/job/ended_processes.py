"""What is kept of the processes of a job that have ended."""

import signal
from collections import deque

from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.samples.tally import SampleTally

_MAX_ITEMS = 4000
_FATAL_SIGNALS = frozenset(
    (signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)
)
"""Those that no loader ends its workers with."""


class EndedProcess:
    """A process that is no more: who it was, and when it was missed."""

    def __init__(self, process: WatchedProcess, when: float, state: str) -> None:
        self.process, self.when, self.state = process, when, state
        self.status = process.counters.read_exit_status()
        """As `ProcessCounters.read_exit_status` has it."""

    @property
    def has_crashed(self) -> bool:
        """Did it end by a signal that nobody ends a worker with who is done?"""
        return self.status is not None and -self.status in _FATAL_SIGNALS


class EndedWorkers:
    """What is kept of the workers of a main process that have ended."""

    def __init__(self) -> None:
        self.tally = SampleTally()
        self.items: deque[tuple[float, float]] = deque(maxlen=_MAX_ITEMS)
        self.length: int | None = None

    def add(self, process: WatchedProcess) -> None:
        """Keep what one has shown."""
        self.tally.add(process.tally)
        self.items.extend(process.items)
        self.length = process.batch_length or self.length
