"""
The kernel's books of one process, through descriptors that stay open.

A descriptor of /proc belongs to the process, not to its number: when that ends, reading
fails, even where another process has got the number.
"""

import contextlib
import fcntl
import os
import struct
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from pipedoctor.collect.machine import read_or_default
from pipedoctor.runtime.system_calls import (
    AT_PATH,
    DESCRIPTOR,
    NOTHING,
    PAGE_FAULT,
    PATH,
    SystemCall,
    find_system_call,
)

_NAME_END_LENGTH = 2
_STATE, _MINOR, _USER, _SYSTEM, _THREADS, _START = 0, 7, 11, 12, 17, 19
_CHILDREN = 13, 14
_EXIT_CODE = 49
_GET_INFO, _EXIT_INFO, _INFO_BYTES, _INFO_CODE = 0xC040FF0B, 1 << 3, 64, 60
"""PIDFD_GET_INFO, PIDFD_INFO_EXIT, and offsets in `struct pidfd_info` (Linux 6.15)."""
_FAULT_MARK = "-1"
"""Waits without a system call: for a page of a file that it has mapped."""
_MAX_READ_BYTES = 4096
_MAPPING_PATH = 5
_CPU_CLOCK = 2
"""CPUCLOCK_SCHED of all threads, as clock_getcpuclockid(3) makes its number."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class ProcessGoneError(Exception):
    """The process has ended."""


class CounterReading(NamedTuple):
    """What the kernel counts; seconds since the process began."""

    state: str
    faults: int
    user: float
    system: float
    threads: int
    main_cpu: float | None
    main_delay: float | None
    cpu: float | None
    children: float
    """CPU seconds of its children that have ended."""


class BlockingCall(NamedTuple):
    """The system call in which a thread waits, and its arguments."""

    call: SystemCall
    arguments: tuple[int, ...]


class ProcessCounters:
    """Reads one process again and again; `close` it."""

    def __init__(self, pid: int, proc: Path = Path("/proc")) -> None:
        self.pid = pid
        self.folder = proc / str(pid)
        self.unknown: dict[str, str] = {}
        self._files: dict[str, int] = {}
        self._mapped: str | None = None
        self._clock = (~pid << 3) | _CPU_CLOCK
        self._process: int | None = None
        row = self._read_stat()
        self.start = int(row[_START]) / TICKS_PER_SECOND
        """Seconds after the machine was started."""
        if proc == Path("/proc"):  # else the number means another process
            with contextlib.suppress(OSError):  # Linux before 5.3
                self._process = os.pidfd_open(pid)

    def read(self) -> CounterReading:
        """One look, about 30 us; raises GoneError."""
        row = self._read_stat()
        state = row[_STATE]
        if state in "ZX":
            return CounterReading(state, 0, 0.0, 0.0, 0, None, None, None, 0.0)
        main_cpu, delay = self.read_schedule()
        return CounterReading(
            state,
            int(row[_MINOR]),
            int(row[_USER]) / TICKS_PER_SECOND,
            int(row[_SYSTEM]) / TICKS_PER_SECOND,
            int(row[_THREADS]),
            main_cpu,
            delay,
            self._read_cpu_clock(),
            sum(int(row[place]) for place in _CHILDREN) / TICKS_PER_SECOND,
        )

    def read_blocking_call(self) -> BlockingCall | None:
        """The system call that the main thread waits in; None: it runs, or unknown."""
        return parse_blocking_call(self._read_text("syscall", f"task/{self.pid}/syscall"))

    def read_thread_call(self, thread: int) -> BlockingCall | None:
        """The same of another of its threads."""
        return parse_blocking_call(read_or_default(self.folder / f"task/{thread}/syscall"))

    def read_descriptor_target(self, descriptor: int) -> str:
        """What a descriptor leads to; no file system is asked, so nothing hangs."""
        try:
            return str((self.folder / "fd" / str(descriptor)).readlink())
        except OSError as error:
            self.unknown.setdefault("fd", error.strerror or str(error))
            return ""

    def find_mapped_file(self) -> str:
        """The largest file of data that it has mapped; empty: none, or unreadable."""
        if self._mapped is None:
            self._mapped = find_largest_mapping(read_or_default(self.folder / "maps"))
        return self._mapped

    def close(self) -> None:
        """Let go of all descriptors."""
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()
        if self._process is not None:
            os.close(self._process)
            self._process = None

    def read_exit_status(self) -> int | None:
        """
        Of a process that has ended: what it returned, or less than 0: the signal that ended it.

        None: unknown. Who has been waited for is no longer in /proc; its descriptor knows.
        """
        code = self._read_zombie_code()
        if code is None and self._process is not None:
            info = bytearray(struct.pack("<Q", _EXIT_INFO).ljust(_INFO_BYTES, b"\0"))
            with contextlib.suppress(OSError):
                fcntl.ioctl(self._process, _GET_INFO, info)
                if int.from_bytes(info[:8], "little") & _EXIT_INFO:
                    code = int.from_bytes(info[_INFO_CODE:], "little")
        return None if code is None else os.waitstatus_to_exitcode(code)

    def _read_zombie_code(self) -> int | None:
        try:
            row = self._read_stat()
        except ProcessGoneError:
            return None
        return int(row[_EXIT_CODE]) if row[_STATE] in "ZX" and len(row) > _EXIT_CODE else None

    def _read_stat(self) -> list[str]:
        text = self._read_text("stat", "stat")
        if not text:
            raise ProcessGoneError(self.pid)
        return text[text.rindex(")") + _NAME_END_LENGTH :].split()

    def read_schedule(self) -> tuple[float | None, float | None]:
        """Seconds that the main thread ran, and was ready without a CPU."""
        row = self._read_text("schedstat", "schedstat").split()
        if len(row) < _NAME_END_LENGTH or row[:2] == ["0", "0"]:
            return None, None
        return int(row[0]) * 1e-9, int(row[1]) * 1e-9

    def read_thread_cpu(self, thread: int) -> float | None:
        """Seconds that one of its threads ran."""
        row = read_or_default(self.folder / f"task/{thread}/schedstat").split()
        return int(row[0]) * 1e-9 if row and row[0].isdecimal() else None

    def _read_cpu_clock(self) -> float | None:
        try:
            return time.clock_gettime(self._clock)
        except OSError as error:
            self.unknown.setdefault("cpu clock", error.strerror or str(error))
            return None

    def _read_text(self, name: str, path: str) -> str:
        """A file as it is now; empty: unreadable, with its reason, or ended."""
        if name in self.unknown:
            return ""
        try:
            descriptor = self._files.get(name)
            if descriptor is None:
                descriptor = os.open(self.folder / path, os.O_RDONLY | os.O_CLOEXEC)
                self._files[name] = descriptor
            return os.pread(descriptor, _MAX_READ_BYTES, 0).decode("utf-8", "replace")
        except (ProcessLookupError, FileNotFoundError) as error:
            if name == "stat" or not self.folder.exists():
                raise ProcessGoneError(self.pid) from error
            self.unknown[name] = "this kernel has no such file"
        except OSError as error:
            self.unknown[name] = error.strerror or str(error)
        return ""


def read_process_file(path: str, most: int = _MAX_READ_BYTES) -> str:
    """
    A small file of /proc as it is now; empty: unreadable, or the process has ended.

    In one read of at most so many bytes, as the kernel writes it: three system calls.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(descriptor, most).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def find_number(text: str, name: str) -> int | None:
    """The whole number that stands behind a name, and blanks; None: there is none."""
    words = text.partition(name)[2].split(None, 1)
    return int(words[0]) if words and words[0].isdecimal() else None


def find_largest_mapping(maps: str) -> str:
    """Of the files in a list of mappings that hold no code and no shared memory."""
    sizes: Counter[str] = Counter()
    code: set[str] = set()
    for line in maps.splitlines():
        row = line.split(None, _MAPPING_PATH)
        if len(row) <= _MAPPING_PATH or not row[_MAPPING_PATH].startswith("/"):
            continue
        begin, _, end = row[0].partition("-")
        sizes[row[_MAPPING_PATH]] += int(end, 16) - int(begin, 16)
        if "x" in row[1] or row[_MAPPING_PATH].startswith("/dev/"):
            code.add(row[_MAPPING_PATH])
    found = [(size, path) for path, size in sizes.items() if path not in code]
    return max(found, default=(0, ""))[1]


def parse_blocking_call(text: str) -> BlockingCall | None:
    """A line of the file `syscall`; None: it runs."""
    row = text.split()
    if len(row) < _NAME_END_LENGTH:
        return None
    if row[0] == _FAULT_MARK:
        return BlockingCall(PAGE_FAULT, ())
    if not row[0].isdecimal():
        return None
    return BlockingCall(find_system_call(int(row[0])), tuple(int(word, 16) for word in row[1:7]))


def find_call_subject(blocking_call: BlockingCall) -> tuple[int | None, int | None]:
    """The descriptor that a call is about, and the address of its path."""
    points, arguments = blocking_call.call.subject, blocking_call.arguments
    if points == NOTHING or not arguments:
        return None, None
    if points == DESCRIPTOR:
        return arguments[0], None
    if points == PATH:
        return None, arguments[0]
    return None, arguments[1] if points == AT_PATH and len(arguments) > 1 else None
