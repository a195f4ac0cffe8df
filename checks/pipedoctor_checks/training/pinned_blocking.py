"""PDR402: is a pinned batch copied with a copy that waits?"""

from typing import NamedTuple

from pipedoctor.check import Confidence, Finding, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import DeviceCopy
from pipedoctor.facts.source import Event, LoaderCall, Loop, Spot
from pipedoctor_checks._shared.code_finding import list_spots, make_code_finding
from pipedoctor_checks._shared.loader_calls import format_argument
from pipedoctor_checks._shared.non_blocking_copy import (
    explain_unsafe_copy,
    make_non_blocking,
)
from pipedoctor_checks._shared.own_names import choose_name
from pipedoctor_checks._shared.training_loop import (
    describe_waiting_loops,
    is_demo_loop,
    is_generating_loop,
)

PREPARED = "accelerator.prepare"
"""The event of a loader that accelerate moves to the device itself."""


@check(
    "PDR402",
    "A pinned batch is copied with a blocking copy",
    fix="code",
    subject="loop",
    merges=True,
)
def pinned_blocking(source: Source, /) -> Findings:
    """
    Look for pinned batches that are copied without `non_blocking=True`.

    ## Why it hurts

    The process waits for each copy, although a pinned batch could travel while the
    GPU computes.

    ## How it is judged

    A loader that feeds the loop is known to pin, and a batch is copied with a plain
    `.to(device)` or `.cuda()`. A tensor that the loop has derived from the batch, by a type
    conversion or through numpy, is no longer pinned, and batches of a loader that accelerate
    has prepared are on the device already. An evaluation that generates text (`model.generate`)
    is not reported; where only evaluations wait, it is a note. The loops of a file are one
    finding, and copies that are reached from several files are reported once.

    ## Bad example

    ```python
    def train(dataset, model):
        for rows in DataLoader(dataset, batch_size=64, shuffle=True, pin_memory=True):
            model(rows.to("cuda")).backward()
    ```

    ## Good example

    ```python
    def train(dataset, model):
        for rows in DataLoader(dataset, batch_size=64, shuffle=True, pin_memory=True):
            model(rows.to("cuda", non_blocking=True)).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    files: dict[str, list[_BlockingLoop]] = {}
    for index, loop in enumerate(source.loops):
        fed = [source.loaders[n] for n in loop.loaders]
        pinned = [x for x in fed if x.get("pin_memory").value is True]
        moved = [
            e
            for e in source.select_events(DeviceCopy)
            if e.loop == index
            and not e.details.non_blocking
            and not e.details.unknown
            and not e.details.fresh
        ]
        if any(e.name == PREPARED and e.loop == index for e in source.select_events(DeviceCopy)):
            continue  # its batches are on the device already
        aside = is_demo_loop(loop) or is_generating_loop(loop)
        if pinned and moved and not aside:
            one = _BlockingLoop(loop, pinned[0], moved)
            files.setdefault(loop.at.path, []).append(one)
    reported: set[Spot] = set()
    for group in files.values():
        places = {event.at for one in group for event in one.copies}
        if not places <= reported:
            yield _report_file(source, group)
        reported |= places


class _BlockingLoop(NamedTuple):
    loop: Loop
    loader: LoaderCall
    copies: list[Event[DeviceCopy]]


def _report_file(source: Source, group: list[_BlockingLoop]) -> Finding:
    """One finding for the loops of a file."""
    group.sort(key=lambda one: one.loop.role != "train")
    copies = [*{e.at: e for one in group for e in one.copies}.values()]
    loader = group[0].loader
    return make_code_finding(
        list_spots(copies),
        Severity.NOTE if all(one.loop.role == "eval" for one in group) else Severity.SLOWS,
        f"{describe_waiting_loops([one.loop for one in group])} for each copy of a pinned batch",
        in_code(
            "Copy without blocking",
            _format_copy(copies[0]),
            edits=make_non_blocking(copies),
            unsafe=explain_unsafe_copy(source, copies),
        ),
        confidence=Confidence.LIKELY,
        loader=f"{loader.at.path}:{loader.at.line}",
        pin_memory=format_argument(loader.get("pin_memory")),
    )


def _format_copy(event: Event[DeviceCopy]) -> str:
    """The copy as it is written, without blocking."""
    written = event.name
    if event.details.placed or not written.endswith(")") or "\n" in written:
        return f"{choose_name(event.details.variable, 'batch')}.to(device, non_blocking=True)"
    comma = "" if written.endswith("()") else ", "
    return f"{written[:-1]}{comma}non_blocking=True)"
