"""PDR402: is a pinned batch copied with a copy that waits?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, spots, told
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
    type or by way of numpy, is not pinned any more.

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
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
        if pinned and moved:
            yield at(
                spots(moved),
                Severity.SLOWS,
                f"The loop in {loop.function} waits for each copy of a pinned batch",
                in_code(
                    "Do not wait",
                    "batch.to(device, non_blocking=True)",
                    edits=unblocked(moved),
                    unsafe=doubt(source, moved),
                ),
                confidence=Confidence.LIKELY,
                loader=f"{pinned[0].at.path}:{pinned[0].at.line}",
                pin_memory=told(pinned[0].get("pin_memory")),
            )
