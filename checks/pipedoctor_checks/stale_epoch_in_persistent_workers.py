"""PDR943: Persistent workers do not see the new epoch."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        "Keep the epoch in shared memory",
        ("self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()"),
    ),
    in_code("Or start workers anew", "DataLoader(..., persistent_workers=False)"),
)


@check("PDR943", "Persistent workers do not see the new epoch")
def stale_epoch_in_persistent_workers(log: Log, site: Site | None, /) -> Findings:
    """
    Find an order or augmentation that is the same in every epoch.

    ## Why it hurts

    Persistent workers hold a copy of the dataset from the first epoch. What
    `set_epoch` changes in the parent never reaches them: every epoch repeats the
    first, silently.

    ## How it is judged

    The log shows the same order in several epochs, together with persistent
    workers.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/huggingface/datasets/issues/6673
    """
    yield from told(
        log,
        site,
        "stale_epoch_in_persistent_workers",
        (
            "The workers' copies of the dataset keep the epoch in which they "
            "were started"
        ),
        *_REMEDIES,
    )
