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
from collections.abc import Generator, Sequence
from types import FrameType
from typing import Any

KEPT = 8 << 20
"""Bytes of output that are kept: the last ones."""
_PIECE = 1 << 16
_LOOK, LINGER = 0.2, 2.0
"""Seconds between looks at the command, and for what it leaves behind."""
_PASSED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT)


class Tail:
    """The end of a stream."""

    def __init__(self, most: int = KEPT) -> None:
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


def run(argv: Sequence[str]) -> tuple[int, bytes]:
    """
    Run the command to its end: its exit code as a shell says it, and what it said.

    Raises OSError where it cannot be started.
    """
    tail = Tail()
    if sys.stdin.isatty() and sys.stdout.isatty():
        code = _on_terminal(argv, tail)
    else:
        code = _through_pipes(argv, tail)
    return (128 - code if code < 0 else code), tail.read()


def _through_pipes(argv: Sequence[str], tail: Tail) -> int:
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None  # noqa: S101  (PIPE)
        assert process.stderr is not None  # noqa: S101
        to = {process.stdout.fileno(): 1, process.stderr.fileno(): 2}
        with _signals_to(process):
            _copy(to, tail, process)
            return process.wait()


def _on_terminal(argv: Sequence[str], tail: Tail) -> int:
    ours, theirs = pty.openpty()
    _same_size(theirs)
    with subprocess.Popen(
        argv,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
    ) as process:
        os.close(theirs)

        def resize(_number: int, _frame: FrameType | None) -> None:
            _same_size(ours)

        before = termios.tcgetattr(0)
        resized = signal.signal(signal.SIGWINCH, resize)
        try:
            tty.setraw(0, termios.TCSANOW)  # what was typed meanwhile stays
            with _signals_to(process):
                _copy({ours: 1, 0: ours}, tail, process, until=ours)
                return process.wait()
        finally:
            termios.tcsetattr(0, termios.TCSADRAIN, before)
            signal.signal(signal.SIGWINCH, resized)
            os.close(ours)


def _copy(
    to: dict[int, int],
    tail: Tail,
    process: subprocess.Popen[bytes],
    until: int | None = None,
) -> None:
    """
    Pass on what comes, as it comes, until the command has closed its side.

    What it has started may hold that open for ever: a while after its end, silence
    is enough.
    """
    open_, ended = dict(to), 0.0
    while open_ and (until is None or until in open_):
        ready, _, _ = select.select(list(open_), [], [], _LOOK)
        if not ended and process.poll() is not None:
            ended = time.monotonic()
        if not ready and ended and time.monotonic() > ended + LINGER:
            return
        for source in ready:
            data = _read(source)
            if not data:
                del open_[source]
                continue
            if source != 0:
                tail.add(data)
            _write(open_[source], data)


def _read(source: int) -> bytes:
    try:
        return os.read(source, _PIECE)
    except OSError:  # EIO: nobody holds the other side of a pty any more
        return b""


def _write(target: int, data: bytes) -> None:
    """Write all of it; a reader that went away stops nobody."""
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(target, data) :]


@contextlib.contextmanager
def _signals_to(process: subprocess.Popen[bytes]) -> Generator[None, None, None]:
    """Hand signals on; Ctrl-C reaches the command by the terminal itself."""

    def hand_on(number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGINT or not sys.stdin.isatty():
            process.send_signal(number)

    before: dict[signal.Signals, Any] = {
        number: signal.signal(number, hand_on) for number in _PASSED
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _same_size(terminal: int) -> None:
    with contextlib.suppress(OSError):
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
