"""PDR942: dataset[i] is None for some i, often after a failed read."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        ("Return a sample, raise, or leave the None out of the batch"),
        (
            "def collate(rows):\n"
            "    return default_collate([row for row in rows if row "
            "is not None])"
        ),
    ),
)


@check("PDR942", "The dataset returns None")
def dataset_returns_none(log: Log, site: Site | None, /) -> Findings:
    """
    Find a `__getitem__` that returns None.

    ## Why it hurts

    Often a failed read that was swallowed: the sample is lost, and the batch cannot
    be put together.

    ## How it is judged

    The default `collate_fn` found `NoneType` in a batch.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/association-rosia/flair-2/issues/12
    """
    yield from told(
        log,
        site,
        "dataset_returns_none",
        "Dataset[i] is None for some i, often after a failed read",
        *_REMEDIES,
    )
