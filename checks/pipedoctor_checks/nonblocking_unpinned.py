"""PDR401: does `non_blocking=True` copy from pageable memory?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import Edits, arguments, every
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, spots


@check("PDR401", "A copy that cannot overlap")
def nonblocking_unpinned(source: Source, /) -> Findings:
    """
    Look for copies that should not block, of batches that are not pinned.

    ## Why it hurts

    From pageable memory the copy passes through a staging buffer and does not overlap
    with computing: `non_blocking=True` has no effect.

    ## How it is judged

    The loop copies its batches with `non_blocking=True`, and every loader that feeds
    it is known not to pin. `x.pin_memory().cuda(non_blocking=True)` pins its own.

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    for index, loop in enumerate(source.loops):
        fed = [source.loaders[n] for n in loop.loaders]
        moved = [
            e
            for e in source.of("device-copy")
            if e.loop == index
            and e.details.get("non_blocking")
            and not e.details.get("pins")
        ]
        if fed and moved and all(map(_unpinned, fed)):
            yield at(
                spots(moved),
                Severity.NOTE,
                f"The loop in {loop.function} copies without blocking, unpinned",
                in_code(
                    "Pin the batches",
                    "DataLoader(..., pin_memory=True)",
                    edits=every(map(_pinned, fed)),
                    unsafe="pinned memory cannot be swapped out",
                ),
                confidence=Confidence.LIKELY,
                loader=f"{fed[0].at.path}:{fed[0].at.line}",
            )


def _unpinned(loader: LoaderCall) -> bool:
    pinned = loader.get("pin_memory")
    return pinned.how == "absent" or (pinned.known and pinned.value is False)


def _pinned(loader: LoaderCall) -> Edits:
    plain = loader.get("pin_memory").how in {"absent", "literal"}
    return arguments(loader, pin_memory="True") if plain else ()
