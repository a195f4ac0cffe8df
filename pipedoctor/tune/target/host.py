"""The process that has the user's code: loads it, forks a trial per question."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import multiprocessing
import os
import platform
import select
import signal
import sys
import time
from collections.abc import Callable
from inspect import signature
from typing import Any, NoReturn

from msgspec.structs import replace

from pipedoctor.runtime.attempt import Crash, attempt
from pipedoctor.runtime.blocked_call import describe_stuck_call, find_stuck_call
from pipedoctor.tune.target import gpu_state
from pipedoctor.tune.target.loader_failure import EmptyLoaderError, describe_failure
from pipedoctor.tune.target.messages import (
    EPOCH_DECODER,
    REQUEST_DECODER,
    TRIAL_DECODER,
    Message,
    TargetLoaded,
    TargetRefused,
    TorchMissing,
    TrialAnswer,
    TrialFailed,
    TrialTask,
    encode_line,
)
from pipedoctor.tune.target.process_tree import die_with_parent, kill_tree
from pipedoctor.tune.target.target import (
    TargetLoadError,
    call_user_code,
    load_target,
    record_loader_places,
    resolve_target,
)

_STUCK_SECONDS = 0.3
"""A process that sleeps so long in one call waits for a path that does not answer."""
WORKER_GRACE = 0.8
"""Seconds that a trial's workers get to end by themselves."""
SPAWNED_WORKER_GRACE = 4.0
"""The same for interpreters of their own, which free all that they have imported."""


def main() -> None:
    """Answer questions, one JSON text a line, until nobody asks any more."""
    die_with_parent()
    questions, answers = int(sys.argv[1]), int(sys.argv[2])
    target, step = sys.argv[3], sys.argv[4]
    for descriptor in (questions, answers):
        os.set_inheritable(descriptor, False)
    sys.argv = [target.rpartition(":")[0]]
    begin = time.perf_counter()
    gpu_state.keep_forkable()
    try:
        import torch  # noqa: PLC0415  (it may be missing)
    except (ImportError, OSError) as error:  # OSError: one of its libraries is
        _write_message(answers, TorchMissing(error=str(error)))
        return
    threads = _limit_torch_threads(torch)
    try:
        with record_loader_places() as places:
            made = call_user_code(target, lambda: load_target(target))
        consume = _build_consumer(step, torch)
    except TargetLoadError as reason:
        _write_message(answers, TargetRefused(reason=str(reason)))
        return
    loaded = _describe_target(made, torch, places.get(id(made)))
    _write_message(answers, replace(loaded, seconds=time.perf_counter() - begin))
    with os.fdopen(questions, "rb") as lines:
        for line in lines:
            request = REQUEST_DECODER.decode(line)
            _write_message(answers, _run_trial(TrialTask(made, request, consume, threads)))


def _describe_target(source: Any, torch: Any, made_at: tuple[str, int] | None) -> TargetLoaded:
    """What the target is, before anything of it is measured."""
    from pipedoctor.tune.target import endless_loader  # noqa: PLC0415

    loader = torch.utils.data.DataLoader
    return TargetLoaded(
        setting=endless_loader.read_setting(source),
        is_loader=isinstance(source, loader),
        own_batches=endless_loader.has_own_batches(source),
        drop_last=endless_loader.has_drop_last(source),
        samples=endless_loader.count_samples(source),
        torch=str(torch.__version__),
        python=platform.python_version(),
        in_order="in_order" in signature(loader).parameters,
        start_method=_read_start_method(source),
        accelerator=gpu_state.has_gpu(torch),
        made_at=made_at,
    )


def _limit_torch_threads(torch: Any) -> int:
    """
    Let torch start no threads of its own here; how many there were to be.

    OpenMP's threads do not survive a fork, and who waits for them waits for ever.
    Each trial lets them go again, before there are any.
    """
    number: int = torch.get_num_threads()
    torch.set_num_threads(1)
    return number


def _read_start_method(source: Any) -> str:
    context = getattr(source, "multiprocessing_context", None)
    if context is not None:
        return str(context.get_start_method())
    return str(multiprocessing.get_start_method())


def _build_consumer(step: str, torch: Any) -> Callable[[Any], Any]:
    """What is done with each batch: nothing, a pause, or a callable of the user."""
    if not step:
        return lambda batch: None  # noqa: ARG005
    try:
        seconds = float(step)
    except ValueError:
        call = resolve_target(step)
        if not callable(call):
            message = f"{step}: expected a callable that takes a batch"
            raise TargetLoadError(message) from None
        return gpu_state.wait_for_gpu(torch, call)
    return lambda batch: time.sleep(seconds)  # noqa: ARG005


def _run_trial(task: TrialTask) -> TrialAnswer:
    """Fork a trial, wait for its answer, and leave nothing of it alive."""
    begin = time.monotonic()
    back, out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(back)
        _measure_in_child(task, out)
    os.close(out)
    until = begin + task.request.patience
    text = _read_line(back, until)
    in_time = time.monotonic() < until
    forked = task.request.context in {"", "fork"}
    grace = WORKER_GRACE if forked else SPAWNED_WORKER_GRACE
    code = _wait_for_exit(pid, grace if text or in_time else 0.0)
    alive = code is None
    stuck = find_stuck_call(pid, _STUCK_SECONDS) if alive and not text else None
    kill_tree(pid, alive=alive)
    if code is None:
        _, code = os.waitpid(pid, 0)
    text, _, later = (text + (_read_line(back, 0.0) if text else "")).partition("\n")
    os.close(back)
    if not text:
        reason = _explain_no_answer(code, time.monotonic() - begin, killed_by_us=alive)
        if stuck is not None:
            reason = replace(reason, reason=f"{describe_stuck_call(stuck)}; {reason.reason}")
        return replace(reason, spent_seconds=time.monotonic() - begin)
    answer = replace(TRIAL_DECODER.decode(text), spent_seconds=time.monotonic() - begin)
    if isinstance(answer, TrialFailed) or not later:
        return answer
    return replace(answer, ending_seconds=EPOCH_DECODER.decode(later).seconds)


def _explain_no_answer(status: int, seconds: float, *, killed_by_us: bool) -> TrialFailed:
    """The answer for a trial that ended, or that we ended, without one."""
    if os.WIFSIGNALED(status) and not killed_by_us:
        name = signal.Signals(os.WTERMSIG(status)).name
        return TrialFailed(reason=f"was killed by {name}")
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        code = os.WEXITSTATUS(status)
        return TrialFailed(reason=f"exited with code {code}")
    if not killed_by_us:
        message = "exited without a result: it closed file descriptors that it did not open"
        return TrialFailed(reason=message)
    return TrialFailed(reason=f"no answer within {seconds:.0f} s", hung=True)


def _measure_in_child(task: TrialTask, out: int) -> NoReturn:
    """Measure in a process and a group of its own; never return."""
    try:
        os.setpgid(0, 0)
        die_with_parent()
        from pipedoctor.tune.target import trial  # noqa: PLC0415

        done = attempt(
            lambda: trial.run_trial(task, lambda answer: _write_message(out, answer)),
            interrupts=True,
        )
        if isinstance(done, Crash):
            empty = isinstance(done.error, EmptyLoaderError)
            reason = describe_failure(done.error)
            _write_message(out, TrialFailed(reason=reason, empty=empty))
    finally:
        os._exit(0)


def _read_line(pipe: int, until: float) -> str:
    """One line, whoever else holds the pipe; empty when it comes too late."""
    text = bytearray()
    while not text.endswith(b"\n"):
        left = until - time.monotonic()
        ready, _, _ = select.select([pipe], [], [], max(0.0, left))
        data = os.read(pipe, 1 << 16) if ready else b""
        if not data:
            return ""
        text += data
    return text.decode()


def _wait_for_exit(pid: int, patience: float) -> int | None:
    """Wait for a child for a while; its status, or None."""
    end = time.monotonic() + patience
    while True:
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            return status
        if time.monotonic() > end:
            return None
        time.sleep(0.005)


def _write_message(pipe: int, message: Message) -> None:
    data = memoryview(encode_line(message))
    while data:
        data = data[os.write(pipe, data) :]
