"""The process that has the user's code: loads it, forks a trial per question."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import json
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

from pipedoctor.attempt import Crash, attempt
from pipedoctor.tune.inside.kin import die_with_parent, kill_all
from pipedoctor.tune.inside.target import Unloadable, found, guarded, load, noted

GRACE = 0.8
"""Seconds that a trial's workers get to end by themselves."""
ALONE = 4.0
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
    try:
        import torch  # noqa: PLC0415  (it may be missing)
    except (ImportError, OSError) as error:  # OSError: one of its libraries is
        _write(answers, {"no_torch": str(error)})
        return
    threads = _held_back(torch)
    try:
        with noted() as places:
            made = guarded(target, lambda: load(target))
        consume = _consumer(step)
    except Unloadable as reason:
        _write(answers, {"refused": str(reason)})
        return
    about = _described(made, torch) | {"made_at": places.get(id(made))}
    seconds = time.perf_counter() - begin
    _write(answers, {"loaded": about | {"seconds": seconds}})
    with os.fdopen(questions, encoding="utf-8") as lines:
        for line in lines:
            _write(answers, _tried(made, json.loads(line) | threads, consume))


def _described(made: Any, torch: Any) -> dict[str, Any]:
    """What the target is, before anything of it is measured."""
    from pipedoctor.tune.inside import stream  # noqa: PLC0415

    loader = torch.utils.data.DataLoader
    return {
        "setting": stream.current(made),
        "is_loader": isinstance(made, loader),
        "own_batches": stream.own_batches(made),
        "drop_last": stream.drops_last(made),
        "samples": stream.samples(made),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "in_order": "in_order" in signature(loader).parameters,
        "start_method": _start_method(made),
        "accelerator": torch.cuda.is_available(),
    }


def _held_back(torch: Any) -> dict[str, int]:
    """
    Let torch start no threads of its own here; how many there were to be.

    OpenMP's threads do not survive a fork, and who waits for them waits for ever.
    Each trial lets them go again, before there are any.
    """
    number: int = torch.get_num_threads()
    torch.set_num_threads(1)
    return {"threads": number}


def _start_method(made: Any) -> str:
    context = getattr(made, "multiprocessing_context", None)
    if context is not None:
        return str(context.get_start_method())
    return str(multiprocessing.get_start_method())


def _consumer(step: str) -> Callable[[Any], Any]:
    """What is done with each batch: nothing, a pause, or a callable of the user."""
    if not step:
        return lambda batch: None  # noqa: ARG005
    try:
        seconds = float(step)
    except ValueError:
        call = found(step)
        if not callable(call):
            message = f"{step}: expected a callable that takes a batch"
            raise Unloadable(message) from None
        chosen: Callable[[Any], Any] = call
        return chosen
    return lambda batch: time.sleep(seconds)  # noqa: ARG005


def _tried(
    made: Any, ask: dict[str, Any], step: Callable[[Any], Any]
) -> dict[str, Any]:
    """Fork a trial, wait for its answer, and leave nothing of it alive."""
    begin = time.monotonic()
    back, out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(back)
        _trial(made, ask, step, out)
    os.close(out)
    until = begin + ask["patience"]
    text = _received(back, until)
    in_time = time.monotonic() < until
    forked = ask["setting"].get("context", "") in {"", "fork"}
    grace = GRACE if forked else ALONE
    code = _ended(pid, grace if text or in_time else 0.0)
    alive = code is None
    kill_all(pid, alive=alive)
    if code is None:
        _, code = os.waitpid(pid, 0)
    text, later = _lines(text + (_received(back, 0.0) if text else ""))
    os.close(back)
    if not text:
        return _silent(code, time.monotonic() - begin, by_us=alive)
    answer: dict[str, Any] = json.loads(text)
    answer["ending_seconds"] = later.get("ending_seconds")
    answer["spent_seconds"] = time.monotonic() - begin
    return answer


def _lines(text: str) -> tuple[str, dict[str, Any]]:
    """The answer of a trial, and what it may have seen while its workers ended."""
    answer, _, rest = text.partition("\n")
    later: dict[str, Any] = json.loads(rest) if rest else {}
    return answer, later


def _silent(status: int, spent: float, *, by_us: bool) -> dict[str, Any]:
    """What to say of a trial that ended, or that we ended, without an answer."""
    if os.WIFSIGNALED(status) and not by_us:
        name = signal.Signals(os.WTERMSIG(status)).name
        return {"failed": f"was killed by {name}", "spent_seconds": spent}
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        code = os.WEXITSTATUS(status)
        return {"failed": f"ended by itself with code {code}", "spent_seconds": spent}
    if not by_us:
        message = "ended without an answer: it has closed files that are not its own"
        return {"failed": message, "spent_seconds": spent}
    return {
        "failed": f"no answer within {spent:.0f} s",
        "hung": True,
        "spent_seconds": spent,
    }


def _trial(
    made: Any, ask: dict[str, Any], step: Callable[[Any], Any], out: int
) -> NoReturn:
    """Measure in a process and a group of its own; never return."""
    try:
        os.setpgid(0, 0)
        die_with_parent()
        from pipedoctor.tune.inside import trial  # noqa: PLC0415

        done = attempt(
            lambda: trial.run(made, ask, step, lambda answer: _write(out, answer)),
            interrupts=True,
        )
        if isinstance(done, Crash):
            empty = isinstance(done.error, trial.Empty)
            _write(out, {"failed": trial.failed(done.error), "empty": empty})
    finally:
        os._exit(0)


def _received(pipe: int, until: float) -> str:
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


def _ended(pid: int, patience: float) -> int | None:
    """Wait for a child for a while; its status, or None."""
    end = time.monotonic() + patience
    while True:
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            return status
        if time.monotonic() > end:
            return None
        time.sleep(0.005)


def _write(pipe: int, message: dict[str, Any]) -> None:
    data = memoryview(json.dumps(message).encode() + b"\n")
    while data:
        data = data[os.write(pipe, data) :]
