"""
Watch a job from a thread of the process that started it.

Only a parent may read its child's memory under Yama 1. Whatever goes wrong in here,
the job and the passing on of its output go on.
"""

import contextlib
import threading
from collections.abc import Callable

from pipedoctor.facts import Facts
from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.watch.job.session import WatchSession
from pipedoctor.watch.observation.job_facts import collect_facts

_JOIN_SECONDS = 2.0
_INTERVAL_SECONDS = 1.0
FactsListener = Callable[[Facts], object]


class BackgroundWatch:
    """Begins with `start`; `stop` gives what was seen, or None."""

    def __init__(
        self, *, interval: float = _INTERVAL_SECONDS, seconds: float | None = None
    ) -> None:
        self._interval, self._seconds = interval, seconds
        self._session: WatchSession | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.listeners: list[FactsListener] = []
        """Called with the facts after each interval."""
        self.failure = ""

    def start(self, pid: int) -> None:
        """Watch this process from now on."""
        self._thread = threading.Thread(target=self._run, args=(pid,), daemon=True)
        with contextlib.suppress(RuntimeError):  # no thread to be had: no verdict
            self._thread.start()

    def _run(self, pid: int) -> None:
        done = attempt(lambda: self._watch(pid))
        if isinstance(done, Crash):
            self.failure = done.reason

    def _watch(self, pid: int) -> None:
        session = self._session = WatchSession(pid, sleep=self._stop.wait)
        until = self._interval
        while session.is_alive and not self._stop.is_set():
            if self._seconds is not None and session.seconds > self._seconds:
                break
            session.run(until)
            session.end_interval(self._interval)
            until += self._interval
            for notice in self.listeners:
                notice(collect_facts(session))

    def stop(self) -> Facts | None:
        """End it, and say what was seen; None where that is no job with torch."""
        self._stop.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join(_JOIN_SECONDS)
        session = self._session
        if session is None or not session.uses_torch:
            return None
        done = attempt(lambda: collect_facts(session, last=True))
        return None if isinstance(done, Crash) else done.value
