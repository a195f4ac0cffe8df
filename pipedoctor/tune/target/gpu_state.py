"""
GPUs in processes that fork: asked without initializing CUDA, waited for where they compute.

A process that has initialized CUDA cannot hand it to those that it forks, and by default
`torch.cuda.is_available()` initializes it: the trials of a target that asks at import, as
most scripts do, would all fail.
"""

import os
import time
from collections.abc import Callable, Iterable
from typing import Any

from pipedoctor.runtime.child_exit import kill_and_reap, wait_for_exit

NVML_CHECK = "PYTORCH_NVML_BASED_CUDA_CHECK"
"""Has `torch.cuda.is_available()` ask the driver's library instead (torch 1.13.1)."""
BAD_FORK = "Cannot re-initialize CUDA in forked subprocess"
EARLY_CUDA = (
    "CUDA was initialized while the target or the step was imported, and trials are forked:"
    " create the model in the first call of the step"
)


_DRIVER_SECONDS = 30.0
"""To initialize CUDA: several seconds where eight GPUs sleep, never where a driver hangs."""
_COPIES = ("Memcpy", "Memset")
"""How the profiler's names of copies begin."""
_MAX_PROFILED_STEPS, _MAX_PROFILED_SECONDS = 5, 0.3
"""Steps of thousands of kernels, of which each takes 0.05 ms to read."""


def keep_forkable() -> None:
    """Before torch is imported: what only asks for a GPU leaves CUDA uninitialized."""
    os.environ.setdefault(NVML_CHECK, "1")
    os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # nothing of a profiler that has no CUPTI


def has_gpu(torch: Any) -> bool:
    """Can torch use a GPU? Asked in a child, for where NVML fails CUDA is initialized."""
    if torch.version.cuda is None and getattr(torch.version, "hip", None) is None:
        return False
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = int(not torch.cuda.is_available())
        finally:
            os._exit(code)
    status = wait_for_exit(pid, _DRIVER_SECONDS)
    if status is None:
        kill_and_reap(pid)  # of a driver that does not answer nothing can be used
    return status == 0


def wait_for_gpu(torch: Any, consume: Callable[[Any], Any]) -> Callable[[Any], None]:
    """
    The consumer, and then the GPU that it has used.

    Kernels run on after the call that launched them: without waiting, a step would seem
    to take no longer than launching it.
    """

    def consume_and_wait(batch: Any) -> None:
        consume(batch)
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    return consume_and_wait


def measure_kernel_seconds(
    torch: Any, batches: Iterable[Any], consume: Callable[[Any], None], seconds: float
) -> float | None:
    """
    Measure how long kernels run for a batch, by some steps under torch's profiler.

    A thread that waits for the GPU keeps its CPU busy, so the CPU time of a step does
    not tell who computes. None: no GPU is used, or the profiler sees no kernel.
    """
    if not torch.cuda.is_initialized():
        return None
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
    try:
        profiler.start()
    except RuntimeError:  # the step has its own
        return None
    steps, end = 0, time.perf_counter() + min(seconds, _MAX_PROFILED_SECONDS)
    for batch in batches:
        consume(batch)
        steps += 1
        if steps == _MAX_PROFILED_STEPS or time.perf_counter() > end:
            break
    profiler.stop()
    seconds_on_gpu = sum_kernel_seconds(profiler)
    return seconds_on_gpu / steps if seconds_on_gpu else None


def sum_kernel_seconds(profiler: Any) -> float:
    """For how long a kernel ran, of those that a profile has seen; copies are none."""
    spans = sorted(
        (event.time_range.start, event.time_range.end)
        for event in profiler.events() or ()
        if event.device_type.name == "CUDA" and not event.name.startswith(_COPIES)
    )
    total, reached = 0.0, float("-inf")
    for begin, end in spans:
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total / 1e6


def explain_early_cuda(text: str) -> str:
    """Explain the error of a trial that got CUDA from its parent; empty: another error."""
    return EARLY_CUDA if BAD_FORK in text and "DataLoader worker" not in text else ""
