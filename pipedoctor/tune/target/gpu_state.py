"""
GPUs in processes that fork: asked without initializing CUDA, waited for where they compute.

A process that has initialized CUDA cannot hand it to those that it forks, and by default
`torch.cuda.is_available()` initializes it: the trials of a target that asks at import, as
most scripts do, would all fail.
"""

import os
from collections.abc import Callable
from typing import Any

NVML_CHECK = "PYTORCH_NVML_BASED_CUDA_CHECK"
"""Has `torch.cuda.is_available()` ask the driver's library instead (torch 1.13.1)."""
BAD_FORK = "Cannot re-initialize CUDA in forked subprocess"
EARLY_CUDA = (
    "CUDA was initialized while the target or the step was imported, and trials are forked:"
    " create the model in the first call of the step"
)


def keep_forkable() -> None:
    """Before torch is imported: what only asks for a GPU leaves CUDA uninitialized."""
    os.environ.setdefault(NVML_CHECK, "1")


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
    _, status = os.waitpid(pid, 0)
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


def explain_early_cuda(text: str) -> str:
    """Explain the error of a trial that got CUDA from its parent; empty: another error."""
    return EARLY_CUDA if BAD_FORK in text and "DataLoader worker" not in text else ""
