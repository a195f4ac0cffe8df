"""PDR603: is `.next()` called on the iterator of a loader?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import OldBatchRequest
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_name


@check("PDR603", "Iterators have no .next() method", fix="code")
def old_iterator_api(source: Source, /) -> Findings:
    """
    Look for `.next()` on iterators of loaders.

    ## Why it hurts

    The method was removed: AttributeError in the first step.

    ## How it is judged

    The object is known to be `iter(loader)`. A prefetcher class of the project may
    define such a method, and is not reported.

    ## Bad example

    ```python
    batches = iter(DataLoader(dataset, batch_size=64))
    first = batches.next()
    ```

    ## Good example

    ```python
    batches = iter(DataLoader(dataset, batch_size=64))
    first = next(batches)
    ```

    ## Sources

    - https://docs.python.org/3/library/functions.html#next
    """
    for group in group_by_class(source.select_events(OldBatchRequest)):
        yield make_code_finding(
            list_spots(group),
            Severity.BREAKS,
            f"{group[0].function} calls a method that iterators no longer have: {group[0].name}",
            in_code(
                "Call next() instead",
                f"next({_choose_iterator(group[0].name)})",
                edits=combine_edits(
                    replace_pieces(event, {"start": "next(", "tail": ")"}) for event in group
                ),
            ),
            names=sorted({event.name for event in group}),
        )


def _choose_iterator(call: str) -> str:
    """``batches`` of ``batches.next()``."""
    return choose_name(call.removesuffix("()").rpartition(".")[0], "iterator")
