"""
Reads files before they are asked for: every file of a shared folder costs a round trip.

Files that do not come are unreadable; a folder that stops to answer is given up.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias

from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.reports import UnreadableReportError
from pipedoctor.textsafe import escape_surrogates

Content: TypeAlias = bytes | UnreadableReportError
THREADS = 8
FILES_AT_ONCE = 16
"""Names that a thread takes at once."""
SMALL_BYTES = 1 << 20
"""Bytes of the largest file that is read ahead, so that huge ones never add up."""
ANSWER_TIMEOUT = 60.0
"""Seconds for the files that a thread took at once."""


class Folder(Protocol):
    """Where reports lie."""

    @property
    def path(self) -> str:
        """As the user wrote it."""
        ...

    def list_names(self) -> list[str]:
        """Names of reports, sorted; raises FolderError."""
        ...

    def measure_size(self, name: str) -> int:
        """Bytes of one, or 0 where nobody knows."""
        ...

    def read_report(self, name: str) -> bytes:
        """The bytes of one; raises UnreadableReportError."""
        ...


class _Batch:
    """Names that one thread reads, and a queue for what comes of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.began = time.monotonic()
        self.done: queue.SimpleQueue[list[Content | None]] = queue.SimpleQueue()


def read_in_order(
    folder: Folder, names: Sequence[str], *, timeout: float = ANSWER_TIMEOUT
) -> Iterator[Content]:
    """What is in each of these files, or why it cannot be read; raises FolderError."""
    batches = (_Batch(names[at : at + FILES_AT_ONCE]) for at in range(0, len(names), FILES_AT_ONCE))
    tasks: queue.SimpleQueue[_Batch | None] = queue.SimpleQueue()
    under_way: deque[_Batch] = deque()
    silent = 0
    for _ in range(min(THREADS, len(names))):
        _start_thread(folder, tasks)
    try:
        while True:
            while len(under_way) <= THREADS and (batch := next(batches, None)):
                under_way.append(batch)
                tasks.put(batch)
            if not under_way:
                return
            batch = under_way.popleft()
            try:
                left = batch.began + timeout - time.monotonic()
                contents = batch.done.get(timeout=max(0.0, left))
            except queue.Empty:
                silent += 1
                if silent == THREADS:
                    message = f"{escape_surrogates(folder.path)}: does not answer"
                    raise FolderError(message) from None
                _start_thread(folder, tasks)
                error = UnreadableReportError(f"cannot be read: no answer after {timeout:g} s")
                contents = [error] * len(batch.names)
            for name, content in zip(batch.names, contents, strict=True):
                yield _read_file(folder, name) if content is None else content
    finally:
        for _ in range(THREADS):
            tasks.put(None)


def _start_thread(folder: Folder, tasks: "queue.SimpleQueue[_Batch | None]") -> None:
    """Start one that no exit waits for: it may hang in a call of the kernel."""

    def work() -> None:
        while (batch := tasks.get()) is not None:
            batch.done.put([_read_small_file(folder, name) for name in batch.names])

    threading.Thread(target=work, daemon=True).start()


def _read_small_file(folder: Folder, name: str) -> Content | None:
    """None: too large to be read before it is wanted."""
    return None if folder.measure_size(name) > SMALL_BYTES else _read_file(folder, name)


def _read_file(folder: Folder, name: str) -> Content:
    try:
        return folder.read_report(name)
    except UnreadableReportError as error:
        return error
