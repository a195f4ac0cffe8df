"""One library in the examined interpreter, asked through two pipes."""

import contextlib
import json
import os
import select
import signal
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from pipedoctor.attempt import Crash, attempt
from pipedoctor.facts import Unreadable

INSIDE = Path(__file__).parent / "inside"
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
_LENGTH = struct.Struct("<I")
_BOOT = (
    "import sys; sys.path[:] = sys.path[sys.path[0] == '':]; sys.argv.pop(0); "
    "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
)
_LARGEST = 64 << 20
_FAREWELL = 0.5
"""Seconds in which a process that is no longer asked may end by itself."""


def program(executable: str, name: str, *args: str) -> list[str]:
    """The line that runs a program of `inside` without its folder on the path."""
    return [executable, "-c", _BOOT, str(INSIDE / name), *args]


class Hello(msgspec.Struct, frozen=True):
    """What a library says of itself after its import."""

    version: str = ""
    ways: tuple[str, ...] = ()
    """``task:name``."""
    python: str = ""
    """Version of its interpreter."""
    error: str = ""


class Decoder:
    """A library in a process of its own; leaves nothing behind when it is closed."""

    def __init__(
        self, executable: str, library: str, environ: Mapping[str, str]
    ) -> None:
        self.library = library
        self._lost = ""
        line = program(executable, "serve.py", str(INSIDE / "ways.py"), library)
        try:
            self._process = subprocess.Popen(
                line,
                env={**environ, **ONE_THREAD},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            message = f"{executable} cannot be started: {error.strerror}"
            raise Unreadable(message) from error

    def hello(self, until: float) -> Hello:
        """Wait for the import; raises Unreadable with the reason it failed."""
        said = self._reply(until, "import")
        done = attempt(lambda: msgspec.convert(said, Hello))
        if isinstance(done, Crash):
            message = "its import printed something else than an answer"
            raise Unreadable(message)
        if done.value.error:
            raise Unreadable(done.value.error)
        return done.value

    def show(self, images: Sequence[bytes], until: float) -> None:
        """Hand over the files to decode."""
        self._send(json.dumps({"images": len(images)}).encode(), until)
        for data in images:
            self._send(data, until)

    def ask(self, until: float, **command: Any) -> list[dict[str, Any]]:
        """
        What each of the processes that did it says; raises Unreadable.

        `do` is ``check``, ``clock`` or ``pixels``, `way` one of `Hello.ways`.
        """
        if self._lost:
            raise Unreadable(self._lost)
        self._send(json.dumps(command).encode(), until)
        parts: list[dict[str, Any]] = self._reply(until, command["way"])["parts"]
        for part in parts:
            if "error" in part:
                raise Unreadable(part["error"])
        return parts

    def hang_up(self) -> None:
        """Ask nothing any more; it ends by itself."""
        with contextlib.suppress(OSError):
            _there(self._process.stdin).close()

    def close(self) -> None:
        """Let it end, or kill it; with everything that it has started."""
        self.hang_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if self._lost else _FAREWELL)
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                _there(stream).close()
        self._process.wait()

    def _send(self, body: bytes, until: float) -> None:
        stream = _there(self._process.stdin)
        data = memoryview(_LENGTH.pack(len(body)) + body)
        os.set_blocking(stream.fileno(), False)
        while data:
            _, ready, _ = select.select([], [stream], [], _left(until))
            if not ready:
                reason = "no answer while it was handed images"
                raise self._loses(reason)
            try:
                data = data[os.write(stream.fileno(), data) :]
            except BrokenPipeError:
                raise self._loses(self._ending()) from None

    def _reply(self, until: float, doing: str) -> Any:
        body = self._read(_LENGTH.size, until, doing)
        size: int = _LENGTH.unpack(body)[0]
        if size > _LARGEST:
            message = "it printed something else than an answer"
            raise Unreadable(message)
        return json.loads(self._read(size, until, doing))

    def _read(self, size: int, until: float, doing: str) -> bytes:
        stream = _there(self._process.stdout)
        found = bytearray()
        began = time.monotonic()
        while len(found) < size:
            ready, _, _ = select.select([stream], [], [], _left(until))
            if not ready:
                spent = time.monotonic() - began
                reason = f"no answer after {spent:.1f} s in {doing}"
                raise self._loses(reason)
            data = os.read(stream.fileno(), size - len(found))
            if not data:
                raise self._loses(self._ending())
            found += data
        return bytes(found)

    def _loses(self, reason: str) -> Unreadable:
        """What is said of it from now on: its answers no longer fit the questions."""
        self._lost = reason
        return Unreadable(reason)

    def _ending(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
            if code < 0:
                return f"its process died of {signal.Signals(-code).name}"
            return f"its process ended with exit code {code}"
        return "its process closed its answers"


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101  (both are pipes)
    return stream


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())
