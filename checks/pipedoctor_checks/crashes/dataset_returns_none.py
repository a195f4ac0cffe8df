"""PDR942: dataset[i] is None for some i, often after a failed read."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR942",
    "The dataset returns None",
    summary="Dataset[i] is None for some i, often after a failed read",
    remedies=(
        in_code(
            "Return a sample, raise, or filter out None in collate_fn",
            "from torch.utils.data import default_collate\n\n\n"
            "def collate(rows):\n"
            "    return default_collate([row for row in rows if row is not None])\n\n\n"
            "DataLoader(..., collate_fn=collate)",
        ),
    ),
)
def dataset_returns_none() -> None:
    """
    Find a `__getitem__` that returns None.

    ## Why it hurts

    The cause is often a failed read whose error was suppressed: the sample is lost, and
    the batch cannot be collated.

    ## How it is judged

    The default `collate_fn` found `NoneType` in a batch.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/association-rosia/flair-2/issues/12
    """
