"""PDR907: do large batches take long to be handed over?"""

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import TUNED, cause, faster_setting, said

BYTES = Counterfactual(uint8=True)


@check("PDR907", "Large batches are handed over", after=("PDR202",))
def bottleneck_ipc_bytes(seen: Pipeline, /) -> Findings:
    """
    See whether handing batches over takes as long as making them, by their size.

    ## Why it hurts

    A worker writes each batch into shared memory that is fresh, page by page, and the
    consumer touches every page again. Floats are four times the bytes of the pixels:
    collating them took 3.5 times as long.

    ## How it is judged

    `check --measure TARGET` runs the loader: copying into shared memory, sending and
    receiving take 45 % or more of the way of a batch.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://docs.pytorch.org/vision/stable/transforms.html#performance-considerations
    """
    found = cause(seen, "ipc-bytes")
    if found is None:
        return
    floats = seen.contents.float_bytes > seen.contents.bytes / 2
    smaller = in_code(
        "Keep samples as bytes, and make floats of them on the device",
        "batch = batch.to(device, non_blocking=True).float().div_(255)",
    )
    yield said(
        seen,
        found,
        *((smaller,) if floats else ()),
        *faster_setting(seen),
        in_code("Crop and resize in the worker, so that less is handed over"),
        counterfactual=BYTES if floats else TUNED,
    )
