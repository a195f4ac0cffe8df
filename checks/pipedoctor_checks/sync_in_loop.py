"""PDR403: does every step read a value back from the GPU?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event, Loop, Spot
from pipedoctor.remedy import Remedy, in_code
from pipedoctor_checks._code import at, spots
from pipedoctor_checks._loop import seldom, shown, waiting_loops


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
    that an evaluation needs on the host, an evaluation that synchronizes each step
    to time it, and a loop whose course depends on such a value (it ends where the
    loss is not finite). The loops of one file are one finding, a note where none of
    those that wait trains, and none in a file that only evaluates.

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """
    if "cuda" not in source.traits:
        return
    files: dict[str, list[tuple[Loop, list[Event]]]] = {}
    for index, loop in enumerate(source.loops):
        waits = _waits(source, index, loop)
        if waits:
            files.setdefault(loop.at.path, []).append((loop, waits))
    training = {loop.at.path for loop in source.loops if loop.role == "train"}
    said: set[Spot] = set()
    for path, groups in files.items():
        groups.sort(key=lambda group: group[0].role != "train")
        fresh = [(loop, its) for loop, its in groups if not said >= {*spots(its)}]
        events = [event for _, its in fresh for event in its]
        events.sort(key=_reads)
        events.sort(key=lambda event: event.at.path != path)
        places = spots(events)
        said.update(places)
        loops = [loop for loop, _ in fresh]
        if places and not (path not in training and _evaluate(loops)):
            yield at(
                places,
                Severity.SLOWS if loops[0].role == "train" else Severity.NOTE,
                f"{waiting_loops(loops)} for the GPU in every step",
                in_code(
                    "Sum up on the device, and read now and then",
                    "total += loss.detach()  # total.item() after the loop",
                ),
                *_seldom(events),
                confidence=Confidence.LIKELY,
                calls=sorted({event.name for event in events}),
            )


def _evaluate(loops: list[Loop]) -> bool:
    return all(loop.role == "eval" for loop in loops)


def _reads(event: Event) -> bool:
    """Numbers first, then whole tensors, which somebody may need on the host."""
    return event.details.get("how") != "item"


def _seldom(events: list[Event]) -> list[Remedy]:
    """What is to be done of a wait that nobody reads anything after."""
    if not any(event.kind == "synchronize" for event in events):
        return []
    now_and_then = "if step % 100 == 0:\n    torch.cuda.synchronize()"
    return [in_code("Synchronize only where you report the time", now_and_then)]


def _waits(source: Source, index: int, loop: Loop) -> list[Event]:
    """The reads in each step of a loop that nobody needs there."""
    found = [
        e
        for e in source.of("sync")
        if e.loop == index and not e.details.get("host") and not seldom(e)
    ]
    waits = [e for e in found if _needless(e, loop)]
    decided = any(e.details.get("decides") for e in found)
    timed = loop.role != "train" and _timed(source, index)
    if not waits or waits[0].handler or timed or decided or shown(loop):
        return []
    return [*waits, *(e for e in _always(source, index) if loop.role == "train")]


def _always(source: Source, loop: int) -> list[Event]:
    """Calls that wait for all there is, in every step."""
    return [e for e in source.of("synchronize") if e.loop == loop and not e.guards]


def _timed(source: Source, loop: int) -> bool:
    """Does every step wait on purpose, whoever calls it, to take its time?"""
    return any(
        event.loop == loop and all("cuda" in g or "device" in g for g in event.guards)
        for event in source.of("synchronize")
    )


def _needless(event: Event, loop: Loop) -> bool:
    """An evaluation may well need its results on the host, but not its sums."""
    how = event.details.get("how")
    return how in {"item", "float", "print"} or loop.role == "train"
