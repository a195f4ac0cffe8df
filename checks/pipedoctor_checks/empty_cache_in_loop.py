"""PDR408: is `torch.cuda.empty_cache` called in every step?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import cut
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loop import loop_of


@check("PDR408", "The allocator's cache is emptied in every step")
def empty_cache_in_loop(source: Source, /) -> Findings:
    """
    Look for `torch.cuda.empty_cache()` in loops over batches.

    ## Why it hurts

    It waits for the GPU and gives memory back that the next step has to ask for
    again; more memory for tensors it does not make.

    ## How it is judged

    It is called in the loop itself in every step. Now and then, at an interval, is
    left alone; so is an evaluation that deletes its results just before, to make room
    for images of another size.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.empty_cache.html
    """
    for event in source.of("empty-cache"):
        loop = loop_of(source, event)
        trains = loop is not None and loop.role == "train"
        meant = event.details.get("freed") and not trains
        if not event.guards and not event.handler and not meant:
            yield at(
                [event.at],
                Severity.SLOWS,
                f"{event.function} empties the allocator's cache in every step",
                in_code(
                    "Leave it out",
                    edits=cut(event),
                    unsafe="more memory stays reserved; a card that is full already"
                    " may run out",
                ),
                confidence=Confidence.LIKELY,
            )
