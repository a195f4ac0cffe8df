"""PDR103: is a batch copied to the GPU without having been pinned?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import arguments, every
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, told, without_workers
from pipedoctor_checks._loop import copies
from pipedoctor_checks._unblocking import doubt, unblocked, waiting

_PLAIN = {"absent", "literal"}


@check("PDR103", "Batches are copied to the GPU from pageable memory")
def pin_memory_missing(source: Source, /) -> Findings:
    """
    Look for loaders whose batches go to a device although they are not pinned.

    ## Why it hurts

    A copy from pageable memory passes through a staging buffer, and the process waits
    for it: `non_blocking=True` has no effect.

    ## How it is judged

    `pin_memory` is False or not given, all arguments are seen, and a loop that this
    loader feeds copies its batches to a device. Loops that a framework drives are
    left to it, and so is a value that is only the default of an option. Without workers
    nothing pins ahead: a note, and none where there are none on purpose, or only
    an evaluation takes them.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    yield from alike(source, _found(source))


def _found(source: Source) -> Findings:
    for loader in source.loaders:
        pinned = loader.get("pin_memory")
        off = pinned.how == "absent" or (pinned.known and pinned.value is False)
        moved = copies(source, loader)
        alone = without_workers(loader)
        chosen = pinned.how == "default" or (
            alone and loader.get("num_workers").how == "literal"
        )
        idle = alone and all(source.loops[n].role == "eval" for n in loader.fed)
        left = loader.testing or bool(loader.framework) or idle
        if not off or not moved or chosen or left:
            continue
        there = moved[0].at
        mine = arguments(loader, pin_memory="True") if pinned.how in _PLAIN else ()
        edits = every([mine, unblocked(waiting(moved))] if waiting(moved) else [mine])
        yield at(
            [loader.at],
            Severity.NOTE if alone else Severity.SLOWS,
            f"{called(loader)} does not pin the batches that go to a device",
            in_code(
                "Pin them, and copy without waiting",
                "DataLoader(..., pin_memory=True)\nbatch.to(device, non_blocking=True)",
                edits=edits,
                unsafe=doubt(source, waiting(moved)),
            ),
            confidence=Confidence.LIKELY,
            pin_memory=told(pinned),
            copied_at=f"{there.path}:{there.line}",
        )
