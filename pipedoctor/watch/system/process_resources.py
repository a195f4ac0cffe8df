"""What processes hold, read rarely: descriptors, memory, threads, affinity, I/O."""

import os
import time
from pathlib import Path

from pipedoctor.tune.target.smaps_rollup import read_rollup
from pipedoctor.watch.samples.trends import TimeSeries
from pipedoctor.watch.system.process_counters import find_number, read_process_file

_IO_COUNTERS = ("rchar", "syscr", "read_bytes")
_KIB = 1024
_MAX_STATUS_BYTES = 1 << 20
"""Of the file `status`: users of thousands of groups have them listed before their memory."""
WALK_INTERVAL = 30.0
"""Seconds between two walks through the pages of a process, which take 30 ms a GiB."""
_WALK_SHARE = 0.001
"""Of one CPU, that these walks may take."""


class ProcessResources:
    """What one process holds, and how it grows."""

    def __init__(self, pid: int, proc: Path) -> None:
        self._pid, self._folder = pid, f"{proc}/{pid}"
        limit = find_number(read_process_file(f"{self._folder}/limits"), "Max open files")
        self.descriptors = TimeSeries(None if limit is None else float(limit))
        self.threads, self.anonymous = TimeSeries(), TimeSeries()
        self.shared, self.private = TimeSeries(), TimeSeries()
        self.affinity: tuple[int, ...] = ()
        self.io: tuple[dict[str, int], dict[str, int]] | None = None
        """Totals at first, and now."""
        self.unknown: dict[str, str] = {}
        self._last_walk, self._walk_seconds = -WALK_INTERVAL, 0.0

    def read(self, now: float) -> None:
        """All that costs little."""
        try:
            self.descriptors.add(now, len(os.listdir(f"{self._folder}/fd")))  # noqa: PTH208
        except OSError as error:
            self.unknown["descriptors"] = error.strerror or str(error)
        status = read_process_file(f"{self._folder}/status", _MAX_STATUS_BYTES)
        for name, readings, unit in (
            ("\nThreads:", self.threads, 1),
            ("\nRssAnon:", self.anonymous, _KIB),
            ("\nRssShmem:", self.shared, _KIB),
        ):
            number = find_number(status, name)
            if number is not None:
                readings.add(now, number * unit)
        self._read_io()
        try:
            self.affinity = tuple(sorted(os.sched_getaffinity(self._pid)))
        except OSError as error:
            self.unknown["affinity"] = error.strerror or str(error)

    def _read_io(self) -> None:
        text = "\n" + read_process_file(f"{self._folder}/io")
        found = {name: find_number(text, f"\n{name}:") for name in _IO_COUNTERS}
        if rows := {name: number for name, number in found.items() if number is not None}:
            self.io = (self.io[0] if self.io else rows, rows)
        elif self.io is None:
            self.unknown["io"] = "it belongs to another user, or this kernel does not count it"

    def read_private_memory(self, now: float) -> float:
        """Its private pages, if their turn has come; seconds that it took."""
        if now - self._last_walk < max(WALK_INTERVAL, self._walk_seconds / _WALK_SHARE):
            return 0.0
        began = time.thread_time()
        self._last_walk = now
        try:
            rows = read_rollup(self._pid)
        except (OSError, ValueError, IndexError) as error:
            self.unknown["private memory"] = str(getattr(error, "strerror", error))
        else:
            private = rows.get("Private_Dirty", 0) + rows.get("Private_Clean", 0)
            self.private.add(now, private)
        self._walk_seconds = time.thread_time() - began
        return self._walk_seconds
