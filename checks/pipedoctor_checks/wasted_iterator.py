"""PDR404: is an iterator made again and again for a single batch?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import rewritten
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import without_workers


@check("PDR404", "Workers are started for one batch")
def wasted_iterator(source: Source, /) -> Findings:
    """
    Look for `next(iter(loader))` that happens more than once.

    ## Why it hurts

    Each time all workers are started, and all but one of their batches thrown away:
    29 to 107 ms by fork, 1 to 3 s by spawn.

    ## How it is judged

    It stands in a loop, or in a function that is called in a loop. Once at the start,
    or only where an iterator has ended, is fine.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    - https://docs.python.org/3/library/itertools.html#itertools.cycle
    """
    for event in source.of("fresh-iterator"):
        again = event.loops > 0 or event.details.get("repeats")
        fed = int(event.details.get("loader", -1) or 0)
        idle = 0 <= fed < len(source.loaders) and without_workers(source.loaders[fed])
        if again and not event.handler and not event.guards:
            begins = "begins an epoch" if idle else "starts all workers"
            yield at(
                [event.at],
                Severity.NOTE if idle else Severity.SLOWS,
                f"{event.function} {begins} to take one batch: {event.name}",
                in_code(
                    "Keep one iterator, or ask the loader for its batch_size",
                    edits=rewritten(event) if _shuffled(source, fed) else (),
                    unsafe="batches of one epoch after the other, instead of the first"
                    " of a new one each time",
                ),
                confidence=Confidence.LIKELY,
            )


def _shuffled(source: Source, number: int) -> bool:
    """Is any batch as good as the first? Else somebody may want the very same."""
    if not 0 <= number < len(source.loaders):
        return False
    loader = source.loaders[number]
    return bool(loader.get("shuffle").value) or loader.get("sampler").how != "absent"
