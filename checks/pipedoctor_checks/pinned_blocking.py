"""PDR402: is a pinned batch copied with a copy that waits?"""

from typing import NamedTuple

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event, LoaderCall, Loop, Spot
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, spots
from pipedoctor_checks._loader import told
from pipedoctor_checks._loop import shown, waiting_loops
from pipedoctor_checks._unblocking import doubt, unblocked


@check("PDR402", "A pinned batch is copied by a blocking copy")
def pinned_blocking(source: Source, /) -> Findings:
    """
    Look for pinned batches that are copied without `non_blocking=True`.

    ## Why it hurts

    The process waits for each copy, although a pinned batch could travel while the
    GPU computes.

    ## How it is judged

    A loader that feeds the loop is known to pin, and a batch is copied with a plain
    `.to(device)` or `.cuda()`. A tensor that the loop has made of it, by another
    type or by way of numpy, is not pinned any more. An evaluation that takes one pass
    is left alone. The loops of a file are one finding, and copies that several files
    lead to are said once.

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    files: dict[str, list[_Waiting]] = {}
    for index, loop in enumerate(source.loops):
        fed = [source.loaders[n] for n in loop.loaders]
        pinned = [x for x in fed if x.get("pin_memory").value is True]
        moved = [
            e
            for e in source.of("device-copy")
            if e.loop == index
            and not e.details.get("non_blocking")
            and not e.details.get("unknown")
            and not e.details.get("fresh")
        ]
        once = loop.role == "eval" and not loop.repeats
        if pinned and moved and not once and not shown(loop):
            one = _Waiting(loop, pinned[0], moved)
            files.setdefault(loop.at.path, []).append(one)
    said: set[Spot] = set()
    for group in files.values():
        places = {event.at for one in group for event in one.copies}
        if not places <= said:
            yield _said(source, group)
        said |= places


class _Waiting(NamedTuple):
    loop: Loop
    loader: LoaderCall
    copies: list[Event]


def _said(source: Source, group: list[_Waiting]) -> Finding:
    """One finding for the loops of a file."""
    group.sort(key=lambda one: one.loop.role != "train")
    copies = [*{e.at: e for one in group for e in one.copies}.values()]
    loader = group[0].loader
    return at(
        spots(copies),
        Severity.SLOWS,
        f"{waiting_loops([one.loop for one in group])} for each copy of a pinned batch",
        in_code(
            "Do not wait",
            "batch.to(device, non_blocking=True)",
            edits=unblocked(copies),
            unsafe=doubt(source, copies),
        ),
        confidence=Confidence.LIKELY,
        loader=f"{loader.at.path}:{loader.at.line}",
        pin_memory=told(loader.get("pin_memory")),
    )
