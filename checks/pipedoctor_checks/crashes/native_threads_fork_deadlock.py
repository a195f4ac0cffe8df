"""PDR936: A worker waits for threads that do not exist after the fork."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR936",
    "A worker waits for threads that do not exist after the fork",
    summary=(
        "The parent's pool of native threads is missing in the forked worker, which waits for"
        " it forever"
    ),
    remedies=(
        in_code(
            "Disable the thread pools before the loader is created",
            "cv2.setNumThreads(0)\ntorch.set_num_threads(1)",
        ),
        in_code(
            "Alternatively do not fork", 'DataLoader(..., multiprocessing_context="forkserver")'
        ),
    ),
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
