"""PDR103: is a batch copied to the GPU without having been pinned?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import arguments, every
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import (
    called,
    only_copies,
    told,
    tried_out,
    without_workers,
    works,
)
from pipedoctor_checks._loop import copies, one_pass
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
    left to it, and so are a value that is only the default of an option, and workers
    that only copy what lies in memory (PDR111). Without workers
    nothing pins ahead: a note, and none where there are none on purpose, where only
    an evaluation takes them, or where items are not known to be more than picked from
    memory. One pass of an evaluation is a note as well, and so is a data set that is
    only tried out under the main guard of its own file.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    yield from alike(source, _found(source))


def _found(source: Source) -> Findings:
    wanted = [loader for loader in source.loaders if _unpinned(source, loader)]
    grave = {x.at.path for x in wanted if not _spare(source, x)}
    for loader in wanted:
        pinned = loader.get("pin_memory")
        moved = copies(source, loader)
        light = without_workers(loader) or loader.at.path not in grave
        there = moved[0].at
        mine = arguments(loader, pin_memory="True") if pinned.how in _PLAIN else ()
        edits = every([mine, unblocked(waiting(moved))] if waiting(moved) else [mine])
        yield at(
            [loader.at],
            Severity.NOTE if light else Severity.SLOWS,
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


def _unpinned(source: Source, loader: LoaderCall) -> bool:
    """Do its batches go to a device, and nobody said that they need not be pinned?"""
    pinned = loader.get("pin_memory")
    off = pinned.how == "absent" or (pinned.known and pinned.value is False)
    left = loader.testing or bool(loader.framework) or only_copies(loader)
    if not off or pinned.how == "default" or left:
        return False
    if without_workers(loader):
        chosen = loader.get("num_workers").how == "literal"
        idle = all(source.loops[n].role == "eval" for n in loader.fed)
        if chosen or idle or not works(loader):
            return False
    return bool(copies(source, loader))


def _spare(source: Source, loader: LoaderCall) -> bool:
    """Would pinning gain little, where no other loader of the file wants it?"""
    tried = tried_out(source, loader)
    return without_workers(loader) or one_pass(source, loader) or tried
