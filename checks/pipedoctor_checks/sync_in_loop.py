"""PDR403: does every step read a value back from the GPU?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event, Loop, Spot
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, seldom, spots


@check("PDR403", "Each step waits for the GPU")
def sync_in_loop(source: Source, /) -> Findings:
    """
    Look for values that are read back from the GPU in every step.

    ## Why it hurts

    `.item()`, `.cpu()` and printing a tensor wait until all that is queued has been
    computed: the next batch is prepared while the GPU has nothing to do.

    ## How it is judged

    A value that was computed from the batch is read in the loop itself, in every
    step. What is guarded by an interval or a flag is left alone, and so are results
    that an evaluation needs on the host, and an evaluation that synchronizes each step
    to time it.

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """
    if "cuda" not in source.traits:
        return
    said: set[tuple[Spot, ...]] = set()
    for index, loop in enumerate(source.loops):
        found = [
            e
            for e in source.of("sync")
            if e.loop == index and not e.details.get("host") and not seldom(e)
        ]
        waits = [e for e in found if _needless(e, loop)]
        places = tuple(spots(waits))
        timed = loop.role != "train" and _timed(source, index)
        if waits and not waits[0].handler and not timed and places not in said:
            said.add(places)
            yield at(
                places,
                Severity.SLOWS,
                f"{_called(loop)} waits for the GPU in every step",
                in_code(
                    "Sum up on the device, and read now and then",
                    "total += loss.detach()  # total.item() after the loop",
                ),
                confidence=Confidence.LIKELY,
                calls=sorted({e.name for e in waits}),
            )


def _timed(source: Source, loop: int) -> bool:
    """Does every step wait on purpose, whoever calls it, to take its time?"""
    return any(
        event.loop == loop and all("cuda" in g or "device" in g for g in event.guards)
        for event in source.of("synchronize")
    )


def _called(loop: Loop) -> str:
    return loop.function if loop.single else f"The loop in {loop.function}"


def _needless(event: Event, loop: Loop) -> bool:
    """An evaluation may well need its results on the host, but not its sums."""
    how = event.details.get("how")
    return how in {"item", "float", "print"} or loop.role == "train"
