"""The process that has the user's code: loads it, has trials run."""

# Samples, batches and samplers are the user's: nobody knows their types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable
from inspect import signature
from typing import Any

from msgspec.structs import replace

from pipedoctor.tune.target import gpu_state
from pipedoctor.tune.target.messages import (
    REQUEST_DECODER,
    TargetLoaded,
    TargetRefused,
    TorchMissing,
)
from pipedoctor.tune.target.process_tree import die_with_parent
from pipedoctor.tune.target.target import (
    TargetLoadError,
    call_user_code,
    load_target,
    record_loader_places,
    resolve_target,
    split_target,
)
from pipedoctor.tune.target.trial_process import TrialProcess, write_message


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
        split_target(target)  # before torch: its import takes seconds
        import torch  # noqa: PLC0415  (it may be missing)
    except TargetLoadError as reason:
        write_message(answers, TargetRefused(reason=str(reason)))
        return
    except (ImportError, OSError) as error:  # OSError: one of its libraries is
        write_message(answers, TorchMissing(error=str(error)))
        return
    threads = _limit_torch_threads(torch)
    try:
        with record_loader_places() as places:
            made = call_user_code(target, lambda: load_target(target))
        consume = _build_consumer(step, torch)
    except TargetLoadError as reason:
        write_message(answers, TargetRefused(reason=str(reason)))
        return
    loaded = _describe_target(made, torch, places.get(id(made)))
    write_message(answers, replace(loaded, seconds=time.perf_counter() - begin))
    trials = TrialProcess(made, consume, threads)
    with os.fdopen(questions, "rb") as lines:
        for line in lines:
            write_message(answers, trials.run(REQUEST_DECODER.decode(line)))


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
