"""The process that measures settings: forked for each trial, or kept for the next."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import os
import select
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import msgspec

from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.runtime.blocked_call import describe_stuck_call, find_stuck_call
from pipedoctor.runtime.child_exit import REAP_TIMEOUT, wait_for_exit
from pipedoctor.tune.target.loader_failure import EmptyLoaderError, describe_failure
from pipedoctor.tune.target.messages import (
    EPOCH_DECODER,
    REQUEST_DECODER,
    TRIAL_DECODER,
    Message,
    TrialAnswer,
    TrialFailed,
    TrialMeasured,
    TrialRequest,
    TrialTask,
    encode_line,
)
from pipedoctor.tune.target.process_tree import die_with_parent, kill_tree
from pipedoctor.units import name_signal

_STUCK_SECONDS = 0.3
"""A process that sleeps so long in one call waits for a path that does not answer."""
WORKER_GRACE = 0.8
"""Seconds that a trial's workers get to end by themselves."""
SPAWNED_WORKER_GRACE = 4.0
"""The same for interpreters of their own, which free all that they have imported."""
_KEPT_WORKER_GRACE = 4.0
"""The same where the process is to be kept: worth waiting for, on a busy machine too."""
_SLOW_START_SECONDS, _SLOW_START_RATIO = 1.0, 5.0
"""A first step that takes so long, and so many times the usual one, is not taken twice."""


@dataclass(frozen=True)
class _Child:
    """A forked process, and the pipes to and from it."""

    pid: int
    requests: int
    answers: int

    def close(self) -> None:
        """Close both pipes."""
        os.close(self.requests)
        os.close(self.answers)


class TrialProcess:
    """
    Runs trials of one target, each in a process that is forked for it.

    Where the first step takes long, since it makes a model or initializes CUDA, and the
    next does not, that process is kept for the trials that follow: its workers are forked
    as those of a second epoch are.
    """

    def __init__(self, source: Any, step: Callable[[Any], Any], threads: int) -> None:
        self._source, self._step, self._threads = source, step, threads
        self._kept: _Child | None = None

    def run(self, request: TrialRequest) -> TrialAnswer:
        """Run a trial, wait for its answer, and leave none of its workers alive."""
        begin = time.monotonic()
        child = self._send_request(request)
        until = begin + request.patience
        text = _read_line(child.answers, until)
        answer = TRIAL_DECODER.decode(text.partition("\n")[0]) if text else None
        forked = request.context in {"", "fork"}
        grace = WORKER_GRACE if forked else SPAWNED_WORKER_GRACE
        if isinstance(answer, TrialMeasured) and answer.kept:
            later = text.partition("\n")[2]
            patience = min(until + grace, time.monotonic() + _KEPT_WORKER_GRACE)
            later = later or _read_line(child.answers, patience)
            if later:
                self._kept = child
                return _complete_answer(answer, later, begin)
        grace = grace if text or time.monotonic() < until else 0.0
        return _end_child(child, text, begin, grace)

    def _send_request(self, request: TrialRequest) -> _Child:
        """The process that runs the trial now: the kept one, if it may."""
        child, self._kept = self._kept, None
        if child is not None:
            if can_keep(request) and _write_request(child, request):
                return child
            # Two at once might not fit on the GPU.
            kill_tree(child.pid)
            wait_for_exit(child.pid, REAP_TIMEOUT)
            child.close()
        return self._fork(request)

    def _fork(self, request: TrialRequest) -> _Child:
        asked, requests = os.pipe()
        answers, out = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            os.close(answers)
            os.close(requests)
            task = TrialTask(self._source, request, self._step, self._threads)
            _measure_in_child(task, asked, out)
        os.close(out)
        os.close(asked)
        return _Child(pid, requests, answers)


def can_keep(request: TrialRequest) -> bool:
    """May others follow in its process? Not where that loads the data itself."""
    return bool(request.setting.num_workers) and request.context in {"", "fork"}


def is_slow_start(first_step: float, usual_step: float) -> bool:
    """Does the first step do what the next need not do again? Both in seconds."""
    return first_step > max(_SLOW_START_SECONDS, _SLOW_START_RATIO * usual_step)


def _write_request(child: _Child, request: TrialRequest) -> bool:
    """Ask the kept process; false: it is gone."""
    try:
        write_message(child.requests, request)
    except BrokenPipeError:
        return False
    return True


def _end_child(child: _Child, text: str, begin: float, grace: float) -> TrialAnswer:
    """Wait for the process of a trial, end what is left, and say what it answered."""
    code = wait_for_exit(child.pid, grace)
    alive = code is None
    stuck = find_stuck_call(child.pid, _STUCK_SECONDS) if alive and not text else None
    kill_tree(child.pid, alive=alive)
    if code is None:
        code = wait_for_exit(child.pid, REAP_TIMEOUT)
    text, _, later = (text + (_read_line(child.answers, 0.0) if text else "")).partition("\n")
    child.close()
    if not text:
        reason = _explain_no_answer(code, time.monotonic() - begin, killed_by_us=alive)
        if stuck is not None:
            reason = msgspec.structs.replace(
                reason, reason=f"{describe_stuck_call(stuck)}; {reason.reason}"
            )
        return msgspec.structs.replace(reason, spent_seconds=time.monotonic() - begin)
    return _complete_answer(TRIAL_DECODER.decode(text), later, begin)


def _complete_answer(answer: TrialAnswer, later: str, begin: float) -> TrialAnswer:
    """The answer with what the host knows, and what came after it."""
    answer = msgspec.structs.replace(answer, spent_seconds=time.monotonic() - begin)
    if isinstance(answer, TrialFailed) or not later:
        return answer
    ending = EPOCH_DECODER.decode(later).seconds
    return msgspec.structs.replace(answer, ending_seconds=ending)


def _explain_no_answer(status: int | None, seconds: float, *, killed_by_us: bool) -> TrialFailed:
    """The answer for a trial that ended, or that we ended, without one."""
    if status is None:
        reason = f"no answer within {seconds:.0f} s, and it does not end when it is killed"
        return TrialFailed(reason=reason, hung=True)
    if os.WIFSIGNALED(status) and not killed_by_us:
        name = name_signal(os.WTERMSIG(status))
        return TrialFailed(reason=f"was killed by {name}")
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        code = os.WEXITSTATUS(status)
        return TrialFailed(reason=f"exited with code {code}")
    if not killed_by_us:
        message = "exited without a result: it closed file descriptors that it did not open"
        return TrialFailed(reason=message)
    return TrialFailed(reason=f"no answer within {seconds:.0f} s", hung=True)


def _measure_in_child(task: TrialTask, asked: int, out: int) -> NoReturn:
    """Measure in a process and a group of its own; never return."""
    try:
        os.setpgid(0, 0)
        die_with_parent()
        from pipedoctor.tune.target import trial  # noqa: PLC0415

        while True:
            run = partial(trial.run_trial, task, partial(write_message, out))
            done = attempt(run, interrupts=True)
            if isinstance(done, Crash):
                empty = isinstance(done.error, EmptyLoaderError)
                reason = describe_failure(done.error)
                write_message(out, TrialFailed(reason=reason, empty=empty))
                break
            if not done.value:
                break
            line = _read_line(asked, float("inf"))
            if not line:
                break
            task = replace(task, request=REQUEST_DECODER.decode(line), is_kept=True)
    finally:
        os._exit(0)


def _read_line(pipe: int, until: float) -> str:
    """One line, whoever else holds the pipe; empty when it comes too late."""
    text = bytearray()
    while not text.endswith(b"\n"):
        left = None if until == float("inf") else max(0.0, until - time.monotonic())
        ready, _, _ = select.select([pipe], [], [], left)
        data = os.read(pipe, 1 << 16) if ready else b""
        if not data:
            return ""
        text += data
    return text.decode()


def write_message(pipe: int, message: Message) -> None:
    """Write a message, whole."""
    data = memoryview(encode_line(message))
    while data:
        data = data[os.write(pipe, data) :]
