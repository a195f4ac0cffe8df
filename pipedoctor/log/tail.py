"""The end of a log, kept while its middle is only counted."""

MAX_TAIL_BYTES = 32 << 10
"""Bytes at the end of a log that are judged even where time was up before."""


class LogTail:
    """The last whole lines of a log whose middle is only counted."""

    def __init__(self) -> None:
        self._data = b""
        self.number = 0
        """The number of its first line."""

    def add(self, block: bytes, number: int) -> None:
        """Take the next block, whose first line has this number, and drop what is older."""
        if not self._data:
            self.number = number
        data = self._data + block
        cut = data.find(b"\n", len(data) - MAX_TAIL_BYTES) + 1 if len(data) > MAX_TAIL_BYTES else 0
        self.number += data[:cut].count(b"\n")
        self._data = data[cut:][-MAX_TAIL_BYTES:]

    def take(self) -> bytes:
        """The lines."""
        return self._data
