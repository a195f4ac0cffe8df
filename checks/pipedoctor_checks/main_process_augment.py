"""PDR406: is a batch augmented in the training process?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loop import loop_of, seldom


@check("PDR406", "Batches are augmented between loader and GPU")
def main_process_augment(source: Source, /) -> Findings:
    """
    Look for batches that become arrays and then tensors again in the loop.

    ## Why it hurts

    What workers could do beside the training happens in the process that feeds the
    GPU, between two steps.

    ## How it is judged

    In the loop a batch is taken as an array with `.numpy()` before it is on the
    device, and made a tensor again later.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    for event in source.of("host-array"):
        loop = loop_of(source, event)
        if event.details.get("again") and loop is not None and not seldom(event):
            yield at(
                [event.at],
                Severity.SLOWS,
                f"The loop in {loop.function} changes batches in the training process",
                in_code("Do it in __getitem__ or collate_fn, or on the device"),
                confidence=Confidence.LIKELY,
                call=event.name,
            )
