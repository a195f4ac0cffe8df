"""Talk to the process that has the user's code, and be rid of it in the end."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from pipedoctor.tune.inside.keeper import BOOT
from pipedoctor.tune.ranks import kept_on
from pipedoctor.units import human

if TYPE_CHECKING:
    from typing_extensions import Self

_ERROR = re.compile(r"(\w+\.)*\w*(Error|Exception|Interrupt|Exit)\b")
_FAREWELL = 3.0
_PIECE = 1 << 16


class Refused(Exception):  # noqa: N818  (what the target is, not what we did)
    """The target cannot be used; the message says why, in one line."""


class Lost(Exception):  # noqa: N818  (what happened)
    """The target was loaded or asked in vain: it hangs, or its process is gone."""


class Session:
    """
    A target that is loaded in processes of its own; use it in a `with` statement.

    `most` is how much memory they may use together before they are ended, `cpus` are
    those that they are kept on; none: they may use all.
    """

    def __init__(
        self,
        target: str,
        *,
        step: str = "",
        most: int = 0,
        cpus: frozenset[int] = frozenset(),
    ) -> None:
        self._target, self._step, self._most = target, step, most
        self._cpus = cpus
        self._buffers: dict[int, bytearray] = {}

    def __enter__(self) -> "Self":
        ask_r, self._asks = os.pipe()
        self._answers, answer_w = os.pipe()
        self._life, theirs = socket.socketpair()
        fds = (theirs.fileno(), ask_r, answer_w)
        argv = [str(fd) for fd in fds] + [str(self._most), self._target, self._step]
        with kept_on(self._cpus):
            self._keeper = subprocess.Popen(
                [sys.executable, "-c", BOOT.format(module="keeper"), *argv],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=fds,
                start_new_session=True,
            )
        theirs.close()
        os.close(ask_r)
        os.close(answer_w)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)
        try:
            self._keeper.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        self._life.close()
        for descriptor in (self._asks, self._answers):
            os.close(descriptor)

    def loaded(self, until: float) -> dict[str, Any]:
        """What the target is; raises Refused or Lost. `until`: `time.monotonic`."""
        answer = self._answer(until, "loading it")
        if "refused" in answer:
            raise Refused(answer["refused"])
        if "no_torch" in answer:
            message = f"torch cannot be imported by {sys.executable}"
            message += f": {answer['no_torch']}; run pipedoctor with the Python that"
            message += " trains, or install torch for this one"
            raise Refused(message)
        found: dict[str, Any] = answer["loaded"]
        return found

    def ask(self, question: dict[str, Any], until: float) -> dict[str, Any]:
        """Run one trial; its answer may be ``{"failed": "..."}``."""
        try:
            os.write(self._asks, msgspec.json.encode(question) + b"\n")
        except OSError:
            return self._answer(time.monotonic() + 1, "measuring it")
        answer = self._answer(until, "measuring it")
        if answer.get("hung"):
            answer["failed"] += self._last_words()
        return answer

    def _last_words(self) -> str:
        """An error that was printed before nothing came any more."""
        with contextlib.suppress(OSError):
            self._life.send(b"tail\n")
        end = time.monotonic() + 0.5
        life = self._life.fileno()
        while time.monotonic() < end:
            line = self._line(life)
            if line is not None:
                said = str(msgspec.json.decode(line).get("tail", ""))
                errors = [row for row in said.splitlines() if _ERROR.match(row)]
                return f"; it printed {errors[-1].strip()[:200]}" if errors else ""
            if select.select([life], [], [], 0.1)[0]:
                self._read(life)
        return ""

    def _answer(self, until: float, doing: str) -> dict[str, Any]:
        while True:
            line = self._line(self._answers)
            if line:
                found: dict[str, Any] = msgspec.json.decode(line)
                return found
            self._watch_keeper()
            left = until - time.monotonic()
            if left <= 0:
                message = f"{doing} takes longer than there is time (--budget)"
                raise Lost(message)
            files = [self._answers, self._life.fileno()]
            ready, _, _ = select.select(files, [], [], min(left, 1.0))
            for descriptor in ready:
                self._read(descriptor)

    def _watch_keeper(self) -> None:
        line = self._line(self._life.fileno())
        if line is None:
            return
        said = msgspec.json.decode(line)
        if "memory" in said:
            used, most = human(said["memory"]), human(said["most"])
            message = f"it used {used} of memory, more than the {most} that it may"
            raise Lost(message)
        raise Lost(_end(said))

    def _read(self, descriptor: int) -> None:
        data = os.read(descriptor, _PIECE)
        self._buffers.setdefault(descriptor, bytearray()).extend(data)
        if not data and descriptor == self._life.fileno():
            message = "the process that looks after it was killed"
            raise Lost(message)

    def _line(self, descriptor: int) -> bytes | None:
        buffer = self._buffers.get(descriptor, bytearray())
        line, newline, rest = buffer.partition(b"\n")
        if not newline:
            return None
        self._buffers[descriptor] = rest
        return bytes(line)


def _end(said: dict[str, Any]) -> str:
    code = said.get("ended", 0)
    lines = [line for line in str(said.get("tail", "")).splitlines() if line.strip()]
    last = f"; its last words: {lines[-1].strip()[:200]}" if lines else ""
    if code < 0:
        return f"its process was killed by {_signal(-code)}{last}"
    return f"its process ended with code {code}{last}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # those of real time have no names
        return f"signal {number}"
