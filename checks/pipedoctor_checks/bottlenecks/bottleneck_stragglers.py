"""PDR908: do a few slow samples hold up all others?"""

from pipedoctor.check import Counterfactual, Findings, check, in_code
from pipedoctor.facts import Pipeline, TorchBuild
from pipedoctor.versions import is_at_least
from pipedoctor_checks.bottlenecks._bottleneck_finding import (
    match_bottleneck,
    report_bottleneck,
)

UNORDERED_BATCHES = Counterfactual(in_order=False)
IN_ORDER_SINCE = "2.6"
"""Release of torch that introduced `in_order`."""


@check("PDR908", "A few slow samples delay all others")
def bottleneck_stragglers(pipeline: Pipeline, torch: TorchBuild | None, /) -> Findings:
    """
    See whether a few samples take a large part of the time.

    ## Why it hurts

    Batches are delivered in order: while one worker is busy with a slow sample, the
    others fill their queues and stop. With 3 % of samples taking 60 ms, taking batches
    in order of completion gave 24 % more samples per second.

    ## How it is judged

    `check --measure TARGET` times single samples: fewer than a quarter of them take
    more than five times the median, and together they take more than 30 % of the time.
    `in_order=False` (torch 2.6) changes the order of samples from run to run.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/pull/141833
    - https://arxiv.org/abs/2509.10712
    """
    found = match_bottleneck(pipeline, "stragglers")
    if found is None:
        return
    old = torch is not None and not is_at_least(torch.version, IN_ORDER_SINCE)
    workers = max(2, (pipeline.best or pipeline.start).num_workers)
    loose = in_code(
        "Take batches in order of completion, if their order does not matter",
        f"DataLoader(..., num_workers={workers}, in_order=False)",
    )
    yield report_bottleneck(
        pipeline,
        found,
        *(() if old else (loose,)),
        in_code(
            "Prefetch more batches, to bridge the slow ones",
            f"DataLoader(..., num_workers={workers}, prefetch_factor=8)",
        ),
        in_code("Make the slow samples like the others: resize, crop or store them accordingly"),
        counterfactual=None if old else UNORDERED_BATCHES,
    )
