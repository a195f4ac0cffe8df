"""PDR503: is the epoch never told to a DistributedSampler?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import replaced
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR503", "Each epoch has the same order")
def set_epoch_missing(source: Source, /) -> Findings:
    """
    Look for a DistributedSampler in a project that never calls `set_epoch`.

    ## Why it hurts

    The order of a DistributedSampler depends on its seed and its epoch: without
    `set_epoch` every epoch has the order of the first.

    ## How it is judged

    A DistributedSampler that shuffles is made, its loader trains in a loop over
    epochs, and `set_epoch` is called nowhere. Lightning, accelerate and others call
    it themselves.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """
    frameworks = [name for name in source.traits if name.startswith("framework:")]
    if "set_epoch" in source.traits or frameworks:
        return
    for event in source.of("distributed-sampler"):
        target = str(event.details.get("target") or "")
        fixed = event.details.get("shuffle") is False
        mine = [x for x in source.loaders if target and target in x.get("sampler").text]
        trains = any(x.role == "train" and x.repeats for x in mine)
        if trains and not fixed:
            yield at(
                [event.at],
                Severity.BREAKS,
                f"{target} has the same order in every epoch: nobody calls set_epoch",
                in_code(
                    "Tell it the epoch",
                    f"{target}.set_epoch(epoch)",
                    edits=replaced(event, {"body": str(event.details.get("text"))}),
                ),
                confidence=Confidence.LIKELY,
            )
