"""PDR401: does `non_blocking=True` copy from pageable memory?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, combine_edits, edit_arguments
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import DeviceCopy
from pipedoctor.facts.source import LoaderCall, Spot
from pipedoctor_checks._shared.code_finding import list_spots, make_code_finding
from pipedoctor_checks._shared.loader_calls import find_gpu_code
from pipedoctor_checks._shared.training_loop import is_generating_loop


@check(
    "PDR401",
    "A non-blocking copy from unpinned memory",
    after=("PDR103",),
    fix="code",
    subject="loop",
    merges=True,
)
def nonblocking_unpinned(source: Source, /) -> Findings:
    """
    Look for non-blocking copies of batches that are not pinned.

    ## Why it hurts

    A copy from pageable memory passes through a staging buffer and does not overlap
    with computation: `non_blocking=True` has no effect.

    ## How it is judged

    The loop copies its batches with `non_blocking=True`, and every loader that feeds it
    is known not to pin. `x.pin_memory().cuda(non_blocking=True)` pins its own copy.
    An evaluation that generates text (`model.generate`) is not reported, nor is a loader
    whose items or batches are made on the GPU, which cannot be pinned.

    ## Bad example

    ```python
    loader = DataLoader(dataset, batch_size=64)
    for rows in loader:
        model(rows.to("cuda", non_blocking=True)).backward()
    ```

    ## Good example

    ```python
    loader = DataLoader(dataset, batch_size=64, pin_memory=True)
    for rows in loader:
        model(rows.to("cuda", non_blocking=True)).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """
    reported: set[Spot] = set()
    for index, loop in enumerate(source.loops):
        fed = [source.loaders[n] for n in loop.loaders]
        moved = [
            e
            for e in source.select_events(DeviceCopy)
            if e.loop == index and e.details.non_blocking and not e.details.pins
        ]
        places = list_spots(moved)
        fresh = bool(fed) and not reported.issuperset(places) and all(map(_is_unpinned, fed))
        left = not fresh or is_generating_loop(loop)
        if not left and not any(find_gpu_code(source, one) for one in fed):
            reported.update(places)
            yield make_code_finding(
                places,
                Severity.NOTE,
                f"The loop in {loop.function} uses non-blocking copies of unpinned batches",
                in_code(
                    "Pin the batches",
                    "DataLoader(..., pin_memory=True)",
                    edits=combine_edits(map(_add_pinning, fed)),
                    unsafe="pinned memory cannot be swapped out",
                ),
                confidence=Confidence.LIKELY,
                loader=f"{fed[0].at.path}:{fed[0].at.line}",
            )


def _is_unpinned(loader: LoaderCall) -> bool:
    pinned = loader.get("pin_memory")
    return pinned.how == "absent" or (pinned.is_known and pinned.value is False)


def _add_pinning(loader: LoaderCall) -> Edits:
    plain = loader.get("pin_memory").how in {"absent", "literal"}
    return edit_arguments(loader, pin_memory="True") if plain else ()
