"""PDR907: do large batches take long to be handed over?"""

from pipedoctor.check import Counterfactual, Findings, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import TUNED_SETTING, advise_setting

UINT8_BATCHES = Counterfactual(uint8=True)


@check("PDR907", "Large batches take long to transfer from the workers", after=("PDR202",))
def bottleneck_ipc_bytes(pipeline: Pipeline, /) -> Findings:
    """
    See whether transferring batches takes as long as producing them, by their size.

    ## Why it hurts

    A worker writes each batch into fresh shared memory, page by page, and the consumer
    touches every page again. Floats are four times the bytes of the pixels: collating
    them took 3.5 times as long.

    ## How it is judged

    `check --measure TARGET` runs the loader: copying into shared memory, sending and
    receiving take 45 % or more of the time from the samples to the consumer.

    ## Sources

    - https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies
    - https://docs.pytorch.org/vision/stable/transforms.html#performance-considerations
    """
    found = match_bottleneck(pipeline, "ipc-bytes")
    if found is None:
        return
    floats = pipeline.contents.float_bytes > pipeline.contents.bytes / 2
    smaller = in_code(
        "Keep samples as uint8 bytes, and convert to float on the device",
        "batch = batch.to(device, non_blocking=True).float().div_(255)",
    )
    yield report_bottleneck(
        pipeline,
        found,
        *((smaller,) if floats else ()),
        *advise_setting(pipeline),
        in_code("Crop and resize in the worker, so that less is transferred"),
        counterfactual=UINT8_BATCHES if floats else TUNED_SETTING,
    )
