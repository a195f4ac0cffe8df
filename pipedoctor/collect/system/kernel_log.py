"""The kernel's log, as far as this user may read it; bounded, never waiting."""

import os
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.regular_file import open_file

LOG_FILES = ("var/log/kern.log", "var/log/syslog", "var/log/messages")
MAX_RECORDS = 20_000
MAX_BYTES = 4 << 20
_RECORD_BYTES = 8192
BOOT_MESSAGE = b" Linux version "
"""The first message of every boot."""


def read_lines(machine: Machine, *, containing: str) -> list[str]:
    """
    Give the messages with this text, oldest first: since boot, or of a log file's end.

    The ring buffer comes first, since it holds nothing of earlier boots. Raises
    Unreadable when neither it nor a file can be read.
    """
    wanted = containing.encode()
    ring = machine.root / "dev/kmsg"
    try:
        found = [record for record in _read_ring(ring) if wanted in record]
    except OSError as error:
        tail = _read_since_boot(machine)
        if tail is None:
            message = f"the kernel log cannot be read: {error.strerror}"
            raise UnreadableError(message) from error
        found = [line for line in tail.splitlines() if wanted in line]
    return [_decode_message(record) for record in found]


def _read_ring(ring: Path) -> Iterator[bytes]:
    """One read gives one record; EAGAIN is the end, EPIPE a record that was lost."""
    descriptor = os.open(ring, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for _ in range(MAX_RECORDS):
            try:
                record = os.read(descriptor, _RECORD_BYTES)
            except BlockingIOError:
                return
            except BrokenPipeError:
                continue
            if not record:
                return
            yield from record.splitlines()
    finally:
        os.close(descriptor)


def _read_since_boot(machine: Machine) -> bytes | None:
    """The end of a log file, without what earlier boots wrote into it."""
    for name in LOG_FILES:
        end = _read_end(machine.root / name)
        if end is not None:
            return end.rpartition(BOOT_MESSAGE)[2]
    return None


def _read_end(path: Path) -> bytes | None:
    try:
        with open_file(path) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MAX_BYTES))
            return file.read(MAX_BYTES)
    except OSError:
        return None


def _decode_message(record: bytes) -> str:
    """``4,1234,56789,-;text`` of /dev/kmsg, or a line of a file as it is."""
    head, mark, rest = record.partition(b";")
    kernel = mark and head[:1].isdigit()
    return (rest if kernel else record).decode(errors="replace")
