"""PDR943: Persistent workers do not see the new epoch."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR943",
    "Persistent workers do not see the new epoch",
    summary="The workers' copies of the dataset keep the epoch at which they were started",
    remedies=(
        in_code(
            "Keep the epoch in shared memory",
            "self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()",
        ),
        in_code(
            "Alternatively restart the workers in each epoch",
            "DataLoader(..., persistent_workers=False)",
        ),
    ),
)
def stale_epoch_in_persistent_workers() -> None:
    """
    Find an order or augmentation that is the same in every epoch.

    ## Why it hurts

    Persistent workers hold a copy of the dataset from the first epoch. What `set_epoch`
    changes in the parent does not reach them: every epoch repeats the first, silently.

    ## How it is judged

    The log shows the same order in several epochs, together with persistent
    workers.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/huggingface/datasets/issues/6673
    """
