"""PDR936: A worker waits for threads that do not exist after the fork."""

from msgspec.structs import replace

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log
from pipedoctor_checks.crashes._log_check import log_check

_CAUSE = "native_threads_fork_deadlock"
_WITHOUT_SWITCH = frozenset({"polars", "duckdb", "lance", "jax", "jaxlib", "tensorflow"})
"""Libraries that the lines for OpenCV and torch do not reach."""
_NOT_FORKED = in_code(
    "Alternatively do not fork", 'DataLoader(..., multiprocessing_context="forkserver")'
)


def _choose_remedies(log: Log) -> tuple[Remedy, ...]:
    """Without the pool of the library that the log shows; else of those that most have."""
    if log.find_value(_CAUSE, "pool") in _WITHOUT_SWITCH:
        return (replace(_NOT_FORKED, title="Do not fork: its pool of threads cannot be disabled"),)
    blosc = "of-blosc" in log.find_ids(_CAUSE)
    lines = "cv2.setNumThreads(0)\ntorch.set_num_threads(1)"
    return (
        in_code(
            "Disable the thread pools before the loader is created",
            "import numcodecs.blosc\n\nnumcodecs.blosc.use_threads = False" if blosc else lines,
        ),
        _NOT_FORKED,
    )


@log_check(
    "PDR936",
    "A worker waits for threads that do not exist after the fork",
    summary=(
        "The parent's pool of native threads is missing in the forked worker, which waits for"
        " it forever"
    ),
    remedies=_choose_remedies,
)
def native_threads_fork_deadlock() -> None:
    """
    Find workers that hang in OpenCV, OpenMP or BLAS.

    ## Why it hurts

    A pool of native threads that the parent started does not exist in a forked child,
    but its locks do: the worker waits forever, without any error.

    ## How it is judged

    The log shows a worker that is idle inside OpenCV or OpenMP, or an interrupted wait
    for a first batch that never came. Without stack traces it is only possible.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/1355
    - https://github.com/pytorch/pytorch/issues/45198
    """
