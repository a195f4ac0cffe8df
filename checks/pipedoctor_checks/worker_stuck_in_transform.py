"""PDR937: A worker does not come back from a sample."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import in_code
from pipedoctor_checks._told import told

_REMEDIES = (
    in_code(
        ("Look at what the worker does; then run the same index without workers"),
        "dataset[index]  # with num_workers=0",
    ),
    in_code("Fail early, and say which", "DataLoader(..., timeout=120)"),
)


@check("PDR937", "A worker does not come back from a sample")
def worker_stuck_in_transform(log: Log, site: Site | None, /) -> Findings:
    """
    Find code in a worker that never returns, or later than the timeout.

    ## Why it hurts

    One sample that takes for ever stops the whole loader: batches are delivered in
    order.

    ## How it is judged

    The loader's timeout fired, or the log shows a worker that is busy in a
    transform, or a hang that is there without workers, too.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    - https://github.com/dmlc/dgl/issues/4509
    """
    yield from told(
        log,
        site,
        "worker_stuck_in_transform",
        (
            "Code of the dataset or a transform takes longer than the timeout, "
            "or never returns"
        ),
        *_REMEDIES,
    )
