"""The kernel's log, as far as this user may read it; bounded, never waiting."""

import os
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Unreadable

FILES = ("var/log/kern.log", "var/log/syslog", "var/log/messages")
MOST_RECORDS = 20_000
MOST_BYTES = 4 << 20
_RECORD = 8192
BOOT = b" Linux version "
"""The first message of every boot."""


def lines(machine: Machine, *, containing: str) -> list[str]:
    """
    Give the messages with this text, oldest first: since boot, or of a log file's end.

    The ring buffer comes first, since it holds nothing of earlier boots. Raises
    Unreadable when neither it nor a file can be read.
    """
    wanted = containing.encode()
    ring = machine.root / "dev/kmsg"
    try:
        found = [record for record in _records(ring) if wanted in record]
    except OSError as error:
        tail = _tail(machine)
        if tail is None:
            message = f"the kernel log cannot be read: {error.strerror}"
            raise Unreadable(message) from error
        found = [line for line in tail.splitlines() if wanted in line]
    return [_message(record) for record in found]


def _records(ring: Path) -> Iterator[bytes]:
    """One read gives one record; EAGAIN is the end, EPIPE a record that was lost."""
    descriptor = os.open(ring, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for _ in range(MOST_RECORDS):
            try:
                record = os.read(descriptor, _RECORD)
            except BlockingIOError:
                return
            except BrokenPipeError:
                continue
            if not record:
                return
            yield from record.splitlines()
    finally:
        os.close(descriptor)


def _tail(machine: Machine) -> bytes | None:
    """The end of a log file, without what earlier boots wrote into it."""
    for name in FILES:
        end = _end(machine.root / name)
        if end is not None:
            return end.rpartition(BOOT)[2]
    return None


def _end(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_BYTES))
            return file.read(MOST_BYTES)
    except OSError:
        return None


def _message(record: bytes) -> str:
    """``4,1234,56789,-;text`` of /dev/kmsg, or a line of a file as it is."""
    head, mark, rest = record.partition(b";")
    kernel = mark and head[:1].isdigit()
    return (rest if kernel else record).decode(errors="replace")
