"""PDR408: is `torch.cuda.empty_cache` called in every step?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import remove_statement
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import CacheRelease
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.training_loop import find_loop, is_done_on_gpu


@check(
    "PDR408",
    "The CUDA allocator's cache is emptied in every step",
    fix="code",
    subject="loop",
    merges=True,
)
def empty_cache_in_loop(source: Source, /) -> Findings:
    """
    Look for `torch.cuda.empty_cache()` in loops over batches.

    ## Why it hurts

    It waits for the GPU and returns memory that the next step has to allocate again; it
    does not make more memory available for tensors.

    ## How it is judged

    It is called in every step, in the loop itself or in what it calls, at least where there
    is a GPU. Calls at an interval are not reported; neither is an evaluation that deletes
    its results just before, to make room for images of another size. A training that does so
    is a note.

    ## Bad example

    ```python
    for rows in loader:
        model(rows).backward()
        optimizer.step()
        torch.cuda.empty_cache()
    ```

    ## Good example

    ```python
    for rows in loader:
        model(rows).backward()
        optimizer.step()
    torch.cuda.empty_cache()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.empty_cache.html
    """
    found = (one for one in source.select_events(CacheRelease) if _is_needless(source, one))
    for event in {one.at: one for one in found}.values():
        yield make_code_finding(
            [event.at],
            Severity.NOTE if event.details.freed else Severity.SLOWS,
            f"{event.function} empties the allocator's cache in every step",
            in_code(
                "Remove the call",
                edits=remove_statement(event),
                unsafe="more memory stays reserved; a GPU that is already full may run out"
                " of memory",
            ),
            confidence=Confidence.LIKELY,
        )


def _is_needless(source: Source, event: Event[CacheRelease]) -> bool:
    """Is it done in every step, and makes no room for what an evaluation has deleted?"""
    loop = find_loop(source, event)
    trains = loop is not None and loop.role == "train"
    meant = event.details.freed and not trains
    return is_done_on_gpu(event) and not event.handler and not meant
