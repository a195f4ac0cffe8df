"""PDR935: a forked worker uses CUDA, which cannot be used after a fork."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR935",
    "CUDA is used in a forked worker",
    summary="A forked worker uses CUDA, which cannot be used after a fork",
    remedies=(
        in_code(
            "Keep samples on the CPU, and move them in the main process",
            "batch = batch.to(device, non_blocking=True)  # in the training loop",
        ),
        in_code(
            "Alternatively spawn the workers", 'DataLoader(..., multiprocessing_context="spawn")'
        ),
    ),
)
def cuda_in_forked_worker() -> None:
    """
    Find CUDA calls in workers forked from a process that uses CUDA.

    ## Why it hurts

    CUDA cannot be used after a fork: a worker that calls it fails, or worse, waits
    forever.

    ## How it is judged

    torch reports that it cannot initialize CUDA again in a forked process, or CUDA
    fails to initialize in a worker.

    ## Sources

    - https://docs.pytorch.org/docs/stable/notes/multiprocessing.html
    - https://github.com/traveller59/spconv/issues/408
    """
