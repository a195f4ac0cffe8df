"""PDR405: does a loop of steps take batches from an iterator that may end?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import BatchRequest
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.own_names import choose_expression


@check("PDR405", "The iterator ends before the loop does", subject="loop")
def unguarded_next(source: Source, /) -> Findings:
    """
    Look for `next` on the iterator of a loader in a loop that does not handle its end.

    ## Why it hurts

    After one epoch it raises StopIteration, and training stops with a traceback.

    ## How it is judged

    `next(it)` is in a loop, `it` is `iter` of a known loader, and there is neither a
    `try` around it nor a default. A loop as long as the loader is one of its epochs.

    ## Bad example

    ```python
    batches = iter(DataLoader(dataset, batch_size=64))
    for step in range(1000):
        train_step(next(batches))
    ```

    ## Good example

    ```python
    batches = iter(DataLoader(dataset, batch_size=64))
    for step in range(1000):
        rows = next(batches, None)
        if rows is None:
            break
        train_step(rows)
    ```

    ## Sources

    - https://docs.python.org/3/library/functions.html#next
    """
    for event in source.select_events(BatchRequest):
        tried = (
            event.handler or event.details.tried or event.details.endless or event.details.counted
        )
        if event.details.looped and not tried:
            yield make_code_finding(
                [event.at],
                Severity.RISKS,
                f"{event.function} takes batches from an iterator that ends: {event.name}",
                in_code(
                    "Loop over the loader, or create a new iterator when it ends",
                    _begin_again(event),
                ),
                confidence=Confidence.POSSIBLE,
            )


def _begin_again(event: Event[BatchRequest]) -> str:
    """An iterator that goes on with the next epoch; empty: the code has no plain names."""
    iterator = choose_expression(event.details.iterator, "")
    loader = choose_expression(event.details.iterated, "")
    if not (iterator and loader):
        return ""
    return (
        "def repeat(loader):\n    while True:\n        yield from loader\n\n"
        f"{iterator} = repeat({loader})  # in place of iter({loader})"
    )
