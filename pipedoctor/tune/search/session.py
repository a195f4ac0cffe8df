"""Talk to the process that has the user's code, and be rid of it in the end."""

import contextlib
import os
import re
import select
import socket
import subprocess
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from pipedoctor.runtime.blocked_call import (
    BlockedCall,
    describe_stuck_call,
    find_stuck_call,
)
from pipedoctor.runtime.bounded_process import reap_killed
from pipedoctor.tune.search.ranks import pin_to_cpus
from pipedoctor.tune.target.messages import (
    HOST_DECODER,
    OUTPUT_REQUEST,
    SUPERVISOR_DECODER,
    CleanedUp,
    HostMessage,
    MemoryExceeded,
    PrintedOutput,
    ProcessEnded,
    SupervisorMessage,
    TargetLoaded,
    TargetRefused,
    TorchMissing,
    TrialFailed,
    TrialMeasured,
    TrialRequest,
    encode_line,
)
from pipedoctor.tune.target.supervisor import BOOT_CODE
from pipedoctor.units import format_size, name_signal

if TYPE_CHECKING:
    from typing_extensions import Self

M = TypeVar("M", TargetLoaded, TrialMeasured)

_ERROR_LINE = re.compile(r"(\w+\.)*\w*(Error|Exception|Interrupt|Exit)\b")
_EXIT_SECONDS = 3.0
_STUCK_EXIT_SECONDS = 0.4
"""Who sleeps in the kernel at a path that does not answer cannot be ended: no use in waiting."""
_LAST_LOOK_SECONDS, _LEAST_LOOK_SECONDS = 1.0, 0.2
"""Before the time is up: what the target's processes sleep in then is why it was not enough."""
_READ_BYTES = 1 << 16


class TargetRefusedError(Exception):
    """The target cannot be used; the message says why, in one line."""


class TargetLostError(Exception):
    """The target was loaded or asked in vain: it hangs, or its process is gone."""


class TargetSession:
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
        max_memory: int = 0,
        cpus: frozenset[int] = frozenset(),
    ) -> None:
        self._target, self._step, self._max_memory = target, step, max_memory
        self._cpus = cpus
        self._buffers: dict[int, bytearray] = {}
        self._stuck: BlockedCall | None = None

    def __enter__(self) -> "Self":
        ask_r, self._request_pipe = os.pipe()
        self._answer_pipe, answer_w = os.pipe()
        self._control_socket, theirs = socket.socketpair()
        fds = (theirs.fileno(), ask_r, answer_w)
        argv = [str(fd) for fd in fds] + [
            str(self._max_memory),
            self._target,
            self._step,
        ]
        with pin_to_cpus(self._cpus):
            self._supervisor = subprocess.Popen(
                [sys.executable, "-c", BOOT_CODE.format(module="supervisor"), *argv],
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
            self._control_socket.shutdown(socket.SHUT_WR)
        try:
            self._supervisor.wait(_STUCK_EXIT_SECONDS if self._stuck else _EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()
            reap_killed(self._supervisor)
        self._control_socket.close()
        for descriptor in (self._request_pipe, self._answer_pipe):
            os.close(descriptor)

    def wait_until_loaded(self, until: float) -> TargetLoaded:
        """What the target is; raises Refused or Lost. `until`: `time.monotonic`."""
        answer = self._wait_for_answer(until, "loading the target")
        if isinstance(answer, TargetRefused):
            raise TargetRefusedError(answer.reason)
        if isinstance(answer, TorchMissing):
            message = f"{sys.executable} cannot import torch"
            message += f": {answer.error}; run pipedoctor with the Python used for"
            message += " training, or install torch for this one"
            raise TargetRefusedError(message)
        return _require_type(answer, TargetLoaded)

    def run_trial(self, request: TrialRequest, until: float) -> TrialMeasured | TrialFailed:
        """Run one trial."""
        try:
            os.write(self._request_pipe, encode_line(request))
        except OSError:  # its process is gone: what was the last that came?
            until = time.monotonic() + 1
        answer = self._wait_for_answer(until, "the measurement")
        if isinstance(answer, TrialFailed) and answer.hung:
            return replace(answer, reason=answer.reason + self._read_printed_error())
        return answer if isinstance(answer, TrialFailed) else _require_type(answer, TrialMeasured)

    def _read_printed_error(self) -> str:
        """An error that was printed before nothing came any more."""
        with contextlib.suppress(OSError):
            self._control_socket.send(OUTPUT_REQUEST)
        end = time.monotonic() + 0.5
        life = self._control_socket.fileno()
        while time.monotonic() < end:
            line = self._take_line(life)
            if line is not None:
                rows = _read_tail(SUPERVISOR_DECODER.decode(line)).splitlines()
                errors = [row for row in rows if _ERROR_LINE.match(row)]
                return f"; last error output: {errors[-1].strip()[:200]}" if errors else ""
            if select.select([life], [], [], 0.1)[0]:
                self._read_available(life)
        return ""

    def _wait_for_answer(self, until: float, action: str) -> HostMessage:
        looked = False
        while True:
            line = self._take_line(self._answer_pipe)
            if line:
                return HOST_DECODER.decode(line)
            self._check_supervisor()
            left = until - time.monotonic()
            if left <= _LAST_LOOK_SECONDS and not looked:
                seconds = max(left, _LEAST_LOOK_SECONDS) / 2
                self._stuck = find_stuck_call(self._supervisor.pid, seconds) or self._stuck
                looked = True
                continue
            if left <= 0:
                late = f"{action} exceeded the time budget (--budget)"
                if self._stuck is not None:
                    late = f"{describe_stuck_call(self._stuck)}; {late}"
                raise TargetLostError(late)
            files = [self._answer_pipe, self._control_socket.fileno()]
            ready, _, _ = select.select(
                files, [], [], min(1.0, max(0.05, left - _LAST_LOOK_SECONDS))
            )
            for descriptor in ready:
                self._read_available(descriptor)

    def _check_supervisor(self) -> None:
        line = self._take_line(self._control_socket.fileno())
        if line is None:
            return
        message = SUPERVISOR_DECODER.decode(line)
        if isinstance(message, MemoryExceeded):
            used, most = format_size(message.used), format_size(message.most)
            reason = f"it used {used} of memory; the limit is {most}"
            raise TargetLostError(reason)
        if not isinstance(message, PrintedOutput):  # which came too late
            raise TargetLostError(_describe_end(message))

    def _read_available(self, descriptor: int) -> None:
        data = os.read(descriptor, _READ_BYTES)
        self._buffers.setdefault(descriptor, bytearray()).extend(data)
        if not data and descriptor == self._control_socket.fileno():
            message = "the supervising process was killed"
            raise TargetLostError(message)

    def _take_line(self, descriptor: int) -> bytes | None:
        buffer = self._buffers.get(descriptor, bytearray())
        line, newline, rest = buffer.partition(b"\n")
        if not newline:
            return None
        self._buffers[descriptor] = rest
        return bytes(line)


def _require_type(message: HostMessage, kind: type[M]) -> M:
    """The message that has to come now; another one cannot be understood."""
    if not isinstance(message, kind):
        reason = f"the target's process sent an unexpected {type(message).__name__}"
        raise TargetLostError(reason)
    return message


def _read_tail(message: SupervisorMessage) -> str:
    """What the target printed last, where the message tells it."""
    return message.tail if isinstance(message, (PrintedOutput, ProcessEnded)) else ""


def _describe_end(message: ProcessEnded | CleanedUp) -> str:
    code = message.code if isinstance(message, ProcessEnded) else 0
    lines = [line for line in _read_tail(message).splitlines() if line.strip()]
    last = f"; last output: {lines[-1].strip()[:200]}" if lines else ""
    if code < 0:
        return f"the target's process was killed by {name_signal(-code)}{last}"
    return f"the target's process exited with code {code}{last}"
