"""What a lane's child does: owns one pipe, works, answers, vanishes."""

import contextlib
import os
import signal
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.runtime.child_exit import end_as_orphan
from pipedoctor.runtime.probe import Probe, run_probe
from pipedoctor.textsafe import map_strings

_LENGTH_PREFIX = struct.Struct("<I")
_MAX_DESCRIPTORS = 1 << 16
_ORPHAN_SECONDS = 30.0
"""Beyond twice the time of its probes: then whoever waited for a child has been killed."""


def run_child(probes: Iterable[Probe], pipe: int) -> NoReturn:
    """Work through the lane, send every result at once, and never return."""
    try:
        pipe = _detach(pipe)
        probes = list(probes)
        end_as_orphan(2 * sum(probe.timeout for probe in probes) + _ORPHAN_SECONDS)

        def announce(doing: str) -> None:
            text = doing.encode(errors="backslashreplace").decode()  # odd file names
            _send(pipe, _encode_message({"doing": text}))

        for probe in probes:
            _send(pipe, _encode_message(run_probe(probe, announce)))
    finally:
        os._exit(0)


def pop_messages(buffer: bytearray) -> Iterator[dict[str, Any]]:
    """Take every whole message out of what has arrived."""
    while len(buffer) >= _LENGTH_PREFIX.size:
        (length,) = _LENGTH_PREFIX.unpack_from(buffer)
        end = _LENGTH_PREFIX.size + length
        if len(buffer) < end:
            return
        yield msgspec.msgpack.decode(buffer[_LENGTH_PREFIX.size : end])
        del buffer[:end]


def _detach(pipe: int) -> int:
    """Detach from what somebody waits for: terminal, pipes, process group."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if pipe < 3:  # noqa: PLR2004  (our caller had closed its own stdin or stdout)
        import fcntl  # noqa: PLC0415  (not on Windows)

        pipe = fcntl.fcntl(pipe, fcntl.F_DUPFD, 3)
    _close_all_but(pipe)
    null = _open_null()
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    if null > 2:  # noqa: PLR2004
        os.close(null)
    return pipe


def _open_null() -> int:
    """Something empty that takes what is written: /dev/null, or memory in a bare root."""
    try:
        return os.open(os.devnull, os.O_RDWR)
    except OSError:
        if not hasattr(os, "memfd_create"):
            raise
        return os.memfd_create("null")


def _close_all_but(pipe: int) -> None:
    """Close 0, 1, 2 and everything above, one by one where /proc tells which."""
    try:
        numbers = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    except OSError:
        soft = os.sysconf("SC_OPEN_MAX")  # importing `resource` takes a descriptor
        most = _MAX_DESCRIPTORS
        os.closerange(0, pipe)
        os.closerange(pipe + 1, min(soft, most) if soft > 0 else most)
        return
    for number in numbers:
        if number != pipe:
            with contextlib.suppress(OSError):
                os.close(number)


def _encode_message(message: dict[str, Any]) -> bytes:
    """Encode a message; one that cannot be encoded becomes a reason."""
    done = attempt(lambda: _pack_message(message))
    if isinstance(done, Crash):
        excuse = {"reason": f"crashed: {done.reason}", "trace": done.trace}
        return msgspec.msgpack.encode(excuse)
    return done.value


def _pack_message(message: dict[str, Any]) -> bytes:
    try:
        return msgspec.msgpack.encode(message)
    except UnicodeEncodeError:  # a file's name
        plain = msgspec.to_builtins(message)
        return msgspec.msgpack.encode(map_strings(plain))


def _send(pipe: int, body: bytes) -> None:
    for piece in (_LENGTH_PREFIX.pack(len(body)), body):
        data = memoryview(piece)
        while data:
            data = data[os.write(pipe, data) :]
