"""PDR936: A worker waits for threads that did not survive the fork."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        "Switch the pools off before the loader is made",
        "cv2.setNumThreads(0)\ntorch.set_num_threads(1)",
    ),
    in_code("Or do not fork", 'DataLoader(..., multiprocessing_context="forkserver")'),
)


@check("PDR936", "A worker waits for threads that did not survive the fork")
def native_threads_fork_deadlock(log: Log, site: Site | None, /) -> Findings:
    """
    Find workers that hang in OpenCV, OpenMP or BLAS.

    ## Why it hurts

    A pool of native threads that the parent started is not there in a forked child,
    but its locks are: the worker waits for ever, without any error.

    ## How it is judged

    The log shows a worker that is idle inside of OpenCV or OpenMP, or an
    interrupted wait for a first batch that never came. Without stacks it is only
    possible.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/1355
    - https://github.com/pytorch/pytorch/issues/45198
    """
    yield from told(
        log,
        site,
        "native_threads_fork_deadlock",
        (
            "A pool of native threads of the parent is missing in the forked "
            "worker, which waits for it for ever"
        ),
        *_REMEDIES,
    )
