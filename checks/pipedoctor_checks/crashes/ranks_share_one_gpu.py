"""PDR963: two ranks use the same GPU."""

from pipedoctor_checks.crashes._log_check import log_check
from pipedoctor_checks.crashes._rank_gpus import ALL_GPUS, START_RANKS, request_gpus, set_device


@log_check(
    "PDR963",
    "Two ranks use one GPU",
    summary="Two ranks use the same GPU",
    remedies=(
        set_device(
            "Set the GPU of every rank before anything else, and start the ranks with torchrun"
        ),
        START_RANKS,
        *request_gpus(
            "Request a GPU for every rank",
            "Request GPUs per node (with --gpus-per-task every task sees one GPU, with index 0)",
        ),
        ALL_GPUS,
    ),
)
def ranks_share_one_gpu() -> None:
    """
    Find ranks that did not select their own GPU.

    ## Why it hurts

    Without `set_device` every rank uses the first GPU, and NCCL fails.

    ## How it is judged

    NCCL reports that two ranks are on one device.

    ## Sources

    - https://docs.pytorch.org/docs/stable/elastic/run.html
    - https://github.com/Peterande/D-FINE/issues/289
    """
