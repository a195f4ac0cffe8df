"""PDR908: do a few slow samples hold up all others?"""

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import Pipeline, TorchBuild
from pipedoctor.remedy import in_code
from pipedoctor.versions import reaches
from pipedoctor_checks._bottleneck import cause, said

UNORDERED = Counterfactual(in_order=False)
FROM = "2.6"
"""Release of torch that brought `in_order`."""


@check("PDR908", "A few slow samples hold up the others")
def bottleneck_stragglers(seen: Pipeline, torch: TorchBuild | None, /) -> Findings:
    """
    See whether a few samples take a large part of the time.

    ## Why it hurts

    Batches are delivered in order: while one worker is busy with a slow sample, the
    others fill their queues and stop. With 3 % of samples of 60 ms, taking batches as
    they come gave 24 % more samples a second.

    ## How it is judged

    `check --measure TARGET` times single samples: fewer than a quarter of them take
    more than five times the median, and together more than 30 % of the time.
    `in_order=False` (torch 2.6) changes the order of samples from run to run.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/pull/141833
    - https://arxiv.org/abs/2509.10712
    """
    found = cause(seen, "stragglers")
    if found is None:
        return
    old = torch is not None and not reaches(torch.version, FROM)
    workers = max(2, (seen.best or seen.start).num_workers)
    loose = in_code(
        "Take batches as they come, if their order does not matter",
        f"DataLoader(..., num_workers={workers}, in_order=False)",
    )
    yield said(
        seen,
        found,
        *(() if old else (loose,)),
        in_code(
            "Let more batches wait, so that a slow one is bridged",
            f"DataLoader(..., num_workers={workers}, prefetch_factor=8)",
        ),
        in_code("Make the slow samples like the others: resize, cut or store them so"),
        counterfactual=None if old else UNORDERED,
    )
