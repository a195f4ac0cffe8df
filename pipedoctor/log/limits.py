"""How long a log may take, and what of it was not read."""

import math
import time
from dataclasses import dataclass, field


@dataclass
class ReadLimits:
    """
    The time limits of one reading, on the monotonic clock, and what they cost.

    After `judge_until` lines are only counted, and the last ones kept for the end; after
    `read_until` nothing more is read. `counts_waiting`: does time that a writer lets pass
    count as well?
    """

    judge_until: float = math.inf
    read_until: float = math.inf
    counts_waiting: bool = True
    bytes_read: int = 0
    zero_bytes: int = 0
    """Bytes that hold nothing: holes in a sparse file, zeros in a device."""
    skipped_from: int = 0
    """The first line that was only counted; 0: all were judged."""
    skipped_to: int = 0
    stopped: bool = False
    """Was something left when `read_until` came?"""
    nested: bool = False
    """Is there another gzip file inside, deeper than is unpacked?"""
    _waited: float = field(default=0.0, repr=False)

    def is_judging_over(self) -> bool:
        """Is there no more time to look at each line?"""
        return self._now() > self.judge_until

    def is_reading_over(self) -> bool:
        """Is there no more time to read at all?"""
        return self._now() > self.read_until

    def add_wait(self, seconds: float) -> None:
        """Note how long a read took: of a pipe that is its writer's time."""
        if not self.counts_waiting:
            self._waited += seconds

    def list_unread(self, lines: int) -> tuple[str, ...]:
        """
        Say in words what was not read, and why; `lines` is how many there were.

        Zeros beside text are holes that a truncated log has; alone they are what it holds.
        """
        gaps: list[str] = []
        if self.skipped_from:
            rows = f"lines {self.skipped_from} to {self.skipped_to}"
            gaps.append(f"{rows} were counted but not judged: time limit reached")
        if self.stopped:
            gaps.append(f"everything after the first {self.bytes_read} bytes: time limit reached")
        if self.zero_bytes and not lines:
            gaps.append(f"{self.zero_bytes} zero bytes, which hold no text")
        if self.nested:
            gaps.append("a gzip file inside the gzip file, nested too deep")
        return tuple(gaps)

    def _now(self) -> float:
        return time.monotonic() - self._waited
