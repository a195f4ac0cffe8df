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

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.runtime.bounded_process import reap_killed
from pipedoctor.units import name_signal

PROGRAMS = Path(__file__).parent / "programs"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_LENGTH = struct.Struct("<I")
_BOOT_CODE = (
    "import sys; sys.path[:] = sys.path[sys.path[0] == '':]; sys.argv.pop(0); "
    "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
)
_MAX_ANSWER_BYTES = 64 << 20
_EXIT_SECONDS = 0.5
"""Seconds in which a process that is no longer asked may end by itself."""


def build_command(executable: str, name: str, *args: str) -> list[str]:
    """The line that runs a program of `inside` without its folder on the path."""
    return [executable, "-c", _BOOT_CODE, str(PROGRAMS / name), *args]


class LibraryInfo(msgspec.Struct, frozen=True):
    """What a library says of itself after its import."""

    version: str = ""
    ways: tuple[str, ...] = ()
    """``task:name``."""
    python: str = ""
    """Version of its interpreter."""
    error: str = ""


class DecoderProcess:
    """A library in a process of its own; leaves nothing behind when it is closed."""

    def __init__(self, executable: str, library: str, environ: Mapping[str, str]) -> None:
        self.library = library
        self._lost_reason = ""
        ways = str(PROGRAMS / "decoders.py")
        line = build_command(executable, "decode_server.py", ways, library)
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
            raise UnreadableError(message) from error

    def wait_for_import(self, until: float) -> LibraryInfo:
        """Wait for the import; raises UnreadableError with the reason it failed."""
        reply = self._read_reply(until, "import")
        done = attempt(lambda: msgspec.convert(reply, LibraryInfo))
        if isinstance(done, Crash):
            message = "importing it printed unexpected output"
            raise UnreadableError(message)
        if done.value.error:
            raise UnreadableError(done.value.error)
        return done.value

    def send_images(self, images: Sequence[bytes], until: float) -> None:
        """Hand over the files to decode."""
        self._send_frame(json.dumps({"images": len(images)}).encode(), until)
        for data in images:
            self._send_frame(data, until)

    def run_command(self, until: float, **command: Any) -> list[dict[str, Any]]:
        """
        What each of the processes that did it says; raises UnreadableError.

        `do` is ``check``, ``clock`` or ``pixels``, `way` one of `Hello.ways`.
        """
        if self._lost_reason:
            raise UnreadableError(self._lost_reason)
        self._send_frame(json.dumps(command).encode(), until)
        parts: list[dict[str, Any]] = self._read_reply(until, command["way"])["parts"]
        for part in parts:
            if "error" in part:
                raise UnreadableError(part["error"])
        return parts

    def close_input(self) -> None:
        """Ask nothing any more; it ends by itself."""
        with contextlib.suppress(OSError):
            _require_pipe(self._process.stdin).close()

    def close(self) -> None:
        """Let it end, or kill it; with everything that it has started."""
        self.close_input()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0 if self._lost_reason else _EXIT_SECONDS)
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                _require_pipe(stream).close()
        reap_killed(self._process)

    def _send_frame(self, body: bytes, until: float) -> None:
        stream = _require_pipe(self._process.stdin)
        data = memoryview(_LENGTH.pack(len(body)) + body)
        os.set_blocking(stream.fileno(), False)
        while data:
            _, ready, _ = select.select([], [stream], [], _count_seconds_left(until))
            if not ready:
                reason = "no answer while images were sent to it"
                raise self._mark_lost(reason)
            try:
                data = data[os.write(stream.fileno(), data) :]
            except BrokenPipeError:
                raise self._mark_lost(self._describe_exit()) from None

    def _read_reply(self, until: float, action: str) -> Any:
        body = self._read_exactly(_LENGTH.size, until, action)
        size: int = _LENGTH.unpack(body)[0]
        if size > _MAX_ANSWER_BYTES:
            message = "it printed unexpected output"
            raise UnreadableError(message)
        return json.loads(self._read_exactly(size, until, action))

    def _read_exactly(self, size: int, until: float, action: str) -> bytes:
        stream = _require_pipe(self._process.stdout)
        found = bytearray()
        began = time.monotonic()
        while len(found) < size:
            ready, _, _ = select.select([stream], [], [], _count_seconds_left(until))
            if not ready:
                spent = time.monotonic() - began
                reason = f"no answer after {spent:.1f} s in {action}"
                raise self._mark_lost(reason)
            data = os.read(stream.fileno(), size - len(found))
            if not data:
                raise self._mark_lost(self._describe_exit())
            found += data
        return bytes(found)

    def _mark_lost(self, reason: str) -> UnreadableError:
        """What is said of it from now on: its answers no longer fit the questions."""
        self._lost_reason = reason
        return UnreadableError(reason)

    def _describe_exit(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(1.0)
            if code < 0:
                return f"its process was killed by {name_signal(-code)}"
            return f"its process exited with code {code}"
        return "its process closed its output"


def _require_pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101  (both are pipes)
    return stream


def _count_seconds_left(until: float) -> float:
    return max(0.0, until - time.monotonic())
