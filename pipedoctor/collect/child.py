"""What a lane's child does: owns one pipe, works, answers, vanishes."""

import contextlib
import os
import signal
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.collect.probe import Probe, answer
from pipedoctor.legible import throughout

_HEAD = struct.Struct("<I")
_MOST_DESCRIPTORS = 1 << 16


def child(probes: Iterable[Probe], pipe: int) -> NoReturn:
    """Work through the lane, send every result at once, and never return."""
    try:
        pipe = _let_go(pipe)

        def announce(doing: str) -> None:
            text = doing.encode(errors="backslashreplace").decode()  # odd file names
            _send(pipe, _encoded({"doing": text}))

        for probe in probes:
            _send(pipe, _encoded(answer(probe, announce)))
    finally:
        os._exit(0)


def messages(buffer: bytearray) -> Iterator[dict[str, Any]]:
    """Take every whole message out of what has arrived."""
    while len(buffer) >= _HEAD.size:
        (length,) = _HEAD.unpack_from(buffer)
        end = _HEAD.size + length
        if len(buffer) < end:
            return
        yield msgspec.msgpack.decode(buffer[_HEAD.size : end])
        del buffer[:end]


def _let_go(pipe: int) -> int:
    """Own nothing that somebody waits for: terminal, pipes, process group."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if pipe < 3:  # noqa: PLR2004  (our caller had closed its own stdin or stdout)
        import fcntl  # noqa: PLC0415  (not on Windows)

        pipe = fcntl.fcntl(pipe, fcntl.F_DUPFD, 3)
    _close_all_but(pipe)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    if null > 2:  # noqa: PLR2004
        os.close(null)
    return pipe


def _close_all_but(pipe: int) -> None:
    """Close 0, 1, 2 and everything above, one by one where /proc tells which."""
    try:
        numbers = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    except OSError:
        import resource  # noqa: PLC0415  (not on Windows)

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST_DESCRIPTORS
        os.closerange(0, pipe)
        os.closerange(pipe + 1, min(soft, most) if soft > 0 else most)
        return
    for number in numbers:
        if number != pipe:
            with contextlib.suppress(OSError):
                os.close(number)


def _encoded(message: dict[str, Any]) -> bytes:
    """As bytes for the pipe; what nobody can write down becomes a reason."""
    done = attempt(lambda: _packed(message))
    if isinstance(done, Crash):
        excuse = {"reason": f"crashed: {done.reason}", "trace": done.trace}
        return msgspec.msgpack.encode(excuse)
    return done.value


def _packed(message: dict[str, Any]) -> bytes:
    try:
        return msgspec.msgpack.encode(message)
    except UnicodeEncodeError:  # a file's name
        plain = msgspec.to_builtins(message)
        return msgspec.msgpack.encode(throughout(plain))


def _send(pipe: int, body: bytes) -> None:
    for piece in (_HEAD.pack(len(body)), body):
        data = memoryview(piece)
        while data:
            data = data[os.write(pipe, data) :]
