"""PDR403: does every step read a value back from the GPU?"""

from typing import TypeAlias

from pipedoctor.check import Confidence, Findings, Remedy, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import HostRead, Synchronization
from pipedoctor.facts.source import Event, Loop, Spot
from pipedoctor_checks._shared.code_finding import list_spots, make_code_finding
from pipedoctor_checks._shared.own_names import accumulate_on_device
from pipedoctor_checks._shared.training_loop import (
    describe_waiting_loops,
    is_demo_loop,
    is_done_on_gpu,
    is_generating_loop,
    is_occasional,
)

_USES_GPU = frozenset(("cuda", "framework:Lightning", "framework:accelerate", "framework-step"))
"""What code says that trains on a GPU where there is one; a framework moves batches itself."""
_Wait: TypeAlias = Event[HostRead] | Event[Synchronization]


@check("PDR403", "Each step waits for the GPU", subject="loop", merges=True)
def sync_in_loop(source: Source, /) -> Findings:
    """
    Look for values that are read back from the GPU in every step.

    ## Why it hurts

    `.item()`, `int()`, `.cpu()` and a text of a tensor wait until all queued work is done: the
    next batch is prepared while the GPU is idle.

    ## How it is judged

    A value computed from the batch is read in the loop itself, in every step; or a training calls
    `torch.cuda.synchronize()` in every step, with no clock that is read beside it. Not reported:
    reads guarded by an interval or a flag, results that an evaluation needs on the host (unless it
    reads them sample by sample, or a loss), an evaluation that generates text (`model.generate`),
    and a single evaluation that synchronizes each step to time it. The loops of one file are one
    finding. It is a note if none of the waiting loops trains, and not reported in a file that only
    evaluates, once. A training loop that stops if the loss is not finite, or reads nothing but what
    its course depends on, waits as well, and often has to: a note. The value that decides the
    course of an evaluation is left out, and not what else is read there.

    ## Bad example

    ```python
    for rows in loader:
        loss = model(rows.to("cuda", non_blocking=True))
        loss.backward()
        print(loss.item())
    ```

    ## Good example

    ```python
    for step, rows in enumerate(loader):
        loss = model(rows.to("cuda", non_blocking=True))
        loss.backward()
        if step % 100 == 0:
            print(loss.item())
    ```

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """
    if _USES_GPU.isdisjoint(source.traits):
        return
    files: dict[str, list[tuple[Loop, list[_Wait]]]] = {}
    for index, loop in enumerate(source.loops):
        waits = _find_waits(source, index, loop)
        if waits:
            files.setdefault(loop.at.path, []).append((loop, waits))
    training = {loop.at.path for loop in source.loops if loop.role == "train"}
    reported: set[Spot] = set()
    for path, groups in files.items():
        groups.sort(key=lambda group: group[0].role != "train")
        fresh = [(loop, its) for loop, its in groups if not reported >= {*list_spots(its)}]
        events = [event for _, its in fresh for event in its]
        events.sort(key=_is_tensor_read)
        events.sort(key=lambda event: event.at.path != path)
        places = list_spots(events)
        loops = [loop for loop, _ in fresh]
        alone = path not in training and not any(loop.repeats for loop in loops)
        if not places or (alone and _is_evaluation(loops)):
            continue
        reported.update(places)
        trains = [its for loop, its in fresh if loop.role == "train"]
        decided = bool(trains) and all(
            any(map(_is_watched, x)) or all(map(_decides, x)) for x in trains
        )
        yield make_code_finding(
            places,
            Severity.SLOWS if trains and not decided else Severity.NOTE,
            f"{describe_waiting_loops(loops)} for the GPU in every step"
            + (", to test a value" if decided else ""),
            *_advise_rare_reads([event for its in trains for event in its] or events),
            *_advise_rare_sync(events),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in events}),
        )


def _decides(event: _Wait) -> bool:
    return isinstance(event.details, HostRead) and bool(event.details.asked)


def _is_watched(event: _Wait) -> bool:
    """Is it read to see whether it is finite?"""
    return isinstance(event.details, HostRead) and event.details.asked == "finite"


def _advise_rare_reads(events: list[_Wait]) -> list[Remedy]:
    """Advise on what is read, what is watched and what decides; on a mere wait nothing."""
    reads: list[_Wait] = [x for x in events if isinstance(x.details, HostRead)]
    summed = [event for event in reads if not (_decides(event) or _is_condition(event))]
    watched = any(map(_is_watched, reads))
    tested = [event for event in reads if event not in summed and not _is_watched(event)]
    return [
        *([_watch_on_device()] if watched else ()),
        *([_accumulate(summed)] if summed else ()),
        *([_decide_without_wait()] if tested and not watched else ()),
    ]


def _is_condition(event: _Wait) -> bool:
    """``assert (x == y).all()``: nothing is there to be added up."""
    return isinstance(event.details, HostRead) and event.details.how == "if"


def _accumulate(events: list[_Wait]) -> Remedy:
    first = events[0]
    if isinstance(first.details, HostRead) and first.details.logged:
        return in_code("Log the tensor: Lightning reads it when it writes", first.details.logged)
    total = first.details.total if isinstance(first.details, HostRead) else ""
    return in_code(
        "Accumulate on the device and read at intervals", accumulate_on_device(first.name, total)
    )


def _watch_on_device() -> Remedy:
    return in_code(
        "Test the value at intervals, or on the device: GradScaler skips steps that are not"
        " finite without a wait"
    )


def _decide_without_wait() -> Remedy:
    return in_code(
        "Test the value at intervals, or decide without reading it: keep flags as values of"
        " Python, and choose between tensors on the device (torch.where)"
    )


def _is_evaluation(loops: list[Loop]) -> bool:
    return all(loop.role == "eval" for loop in loops)


def _is_tensor_read(event: _Wait) -> bool:
    """Sort key: reads of numbers first, then of whole tensors."""
    details = event.details
    return not isinstance(details, HostRead) or details.how != "item"


def _advise_rare_sync(events: list[_Wait]) -> list[Remedy]:
    """Advise on a wait after which nothing is read."""
    if not any(event.kind == Synchronization.kind for event in events):
        return []
    return [
        in_code("Remove torch.cuda.synchronize() from the loop, except where a time is reported")
    ]


def _find_waits(source: Source, index: int, loop: Loop) -> list[_Wait]:
    """Reads in each step of a loop that are not needed there."""
    found = [
        e
        for e in source.select_events(HostRead)
        if e.loop == index and not e.details.host and not is_occasional(e)
    ]
    waits = [e for e in found if _is_needless(e, loop)]
    own = [e for e in found if e.at.path == loop.at.path or not loop.repeats]
    if loop.role != "train":
        waits = [e for e in waits if not (e in own and _decides(e))]
    timed = loop.role != "train" and not loop.repeats and _is_timed(source, index)
    if (waits and waits[0].handler) or timed or is_demo_loop(loop) or is_generating_loop(loop):
        return []
    all_work = _find_synchronize(source, index) if loop.role == "train" else []
    return (
        [*waits, *all_work]
        if waits
        else [e for e in all_work if not (e.details.timed or e.handler)]
    )


def _find_synchronize(source: Source, loop: int) -> list[Event[Synchronization]]:
    """Calls that wait for all queued work in every step."""
    return [
        event
        for event in source.select_events(Synchronization)
        if event.loop == loop and is_done_on_gpu(event)
    ]


def _is_timed(source: Source, loop: int) -> bool:
    """Does every step wait on purpose, in any caller, to measure its time?"""
    return any(
        event.loop == loop and all("cuda" in g or "device" in g for g in event.guards)
        for event in source.select_events(Synchronization)
    )


def _is_needless(event: Event[HostRead], loop: Loop) -> bool:
    """Can it be removed? Evaluations may need results on the host, but no sums, parts or losses."""
    how = event.details.how
    alone = loop.repeats and ("loss" in event.name.lower() or (event.details.parts and how != "if"))
    return alone or how in {"item", "float", "print"} or loop.role == "train"
