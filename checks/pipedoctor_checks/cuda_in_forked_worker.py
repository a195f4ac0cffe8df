"""PDR935: a worker that was forked uses CUDA, which does not survive a fork."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        ("Keep samples on the CPU, and move them in the main process"),
        ("batch = batch.to(device, non_blocking=True)  # in the training loop"),
    ),
    in_code("Or spawn the workers", 'DataLoader(..., multiprocessing_context="spawn")'),
)


@check("PDR935", "CUDA is used in a forked worker")
def cuda_in_forked_worker(log: Log, site: Site | None, /) -> Findings:
    """
    Find CUDA calls in workers that were forked from a process that uses CUDA.

    ## Why it hurts

    CUDA does not survive a fork: a worker that touches it fails, or worse, waits
    for ever.

    ## How it is judged

    torch says that it cannot initialize CUDA again in a forked process, or CUDA
    fails to initialize in a worker.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
    - https://github.com/traveller59/spconv/issues/408
    """
    yield from told(
        log,
        site,
        "cuda_in_forked_worker",
        "A worker that was forked uses CUDA, which does not survive a fork",
        *_REMEDIES,
    )
