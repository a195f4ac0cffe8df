"""
Run a command with its terminal, signals and exit code; keep a copy of what it says.

On a terminal the command gets one of its own (a pty), so that progress bars stay; else
stdout and stderr are passed on through pipes, each to its own.
"""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tty
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from types import FrameType
from typing import Any

MAX_TAIL_BYTES = 8 << 20
"""Bytes of output that are kept: the last ones."""
_CHUNK_BYTES = 1 << 16
_POLL_SECONDS, LINGER_SECONDS = 0.2, 2.0
"""Seconds between looks at the command, and for what it leaves behind."""
_FORWARDED_SIGNALS = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGINT,
)


class OutputTail:
    """The end of a stream."""

    def __init__(self, most: int = MAX_TAIL_BYTES) -> None:
        self._most = most
        self._pieces: deque[bytes] = deque()
        self._size = 0

    def add(self, data: bytes) -> None:
        """Keep this, and drop the oldest that is too much."""
        self._pieces.append(data)
        self._size += len(data)
        while self._size - len(self._pieces[0]) >= self._most:
            self._size -= len(self._pieces.popleft())

    def read(self) -> bytes:
        """Everything that was kept."""
        return b"".join(self._pieces)


def run_passthrough(
    argv: Sequence[str],
    on_start: Callable[[int], object] = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, bytes]:
    """
    Run the command to its end: its exit code as a shell says it, and what it said.

    `on_start` gets its PID; `environment`: its variables, instead of ours. Raises OSError
    where it cannot be started.
    """
    tail = OutputTail()
    if sys.stdin.isatty() and sys.stdout.isatty():
        code = _run_on_terminal(argv, tail, on_start, environment)
    else:
        code = _run_on_pipes(argv, tail, on_start, environment)
    return (128 - code if code < 0 else code), tail.read()


def _run_on_pipes(
    argv: Sequence[str],
    tail: OutputTail,
    on_start: Callable[[int], object],
    environment: Mapping[str, str] | None,
) -> int:
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdout is not None  # noqa: S101  (PIPE)
        assert process.stderr is not None  # noqa: S101
        to = {process.stdout.fileno(): 1, process.stderr.fileno(): 2}
        on_start(process.pid)
        with _forward_signals(process):
            _copy_streams(to, tail, process)
            return process.wait()


def _run_on_terminal(
    argv: Sequence[str],
    tail: OutputTail,
    on_start: Callable[[int], object],
    environment: Mapping[str, str] | None,
) -> int:
    ours, theirs = pty.openpty()
    _copy_window_size(theirs)
    with subprocess.Popen(
        argv,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
    ) as process:
        os.close(theirs)
        on_start(process.pid)

        def resize(_number: int, _frame: FrameType | None) -> None:
            _copy_window_size(ours)

        before = termios.tcgetattr(0)
        resized = signal.signal(signal.SIGWINCH, resize)
        try:
            tty.setraw(0, termios.TCSANOW)  # what was typed meanwhile stays
            with _forward_signals(process):
                _copy_streams({ours: 1, 0: ours}, tail, process, until=ours)
                return process.wait()
        finally:
            termios.tcsetattr(0, termios.TCSADRAIN, before)
            signal.signal(signal.SIGWINCH, resized)
            os.close(ours)


def _copy_streams(
    targets: dict[int, int],
    tail: OutputTail,
    process: subprocess.Popen[bytes],
    until: int | None = None,
) -> None:
    """
    Pass on what comes, as it comes, until the command has closed its side.

    What it has started may hold that open for ever: a while after its end, silence
    is enough.
    """
    open_, ended = dict(targets), 0.0
    while open_ and (until is None or until in open_):
        ready, _, _ = select.select(list(open_), [], [], _POLL_SECONDS)
        if not ended and process.poll() is not None:
            ended = time.monotonic()
        if not ready and ended and time.monotonic() > ended + LINGER_SECONDS:
            return
        for source in ready:
            data = _read_chunk(source)
            if not data:
                del open_[source]
                continue
            if source != 0:
                tail.add(data)
            _write_all(open_[source], data)


def _read_chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK_BYTES)
    except OSError:  # EIO: nobody holds the other side of a pty any more
        return b""


def _write_all(target: int, data: bytes) -> None:
    """Write all of it; a reader that went away stops nobody."""
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(target, data) :]


@contextlib.contextmanager
def _forward_signals(process: subprocess.Popen[bytes]) -> Generator[None, None, None]:
    """Hand signals on; Ctrl-C reaches the command by the terminal itself."""

    def hand_on(number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGINT or not sys.stdin.isatty():
            process.send_signal(number)

    before: dict[signal.Signals, Any] = {
        number: signal.signal(number, hand_on) for number in _FORWARDED_SIGNALS
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _copy_window_size(terminal: int) -> None:
    with contextlib.suppress(OSError):
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
