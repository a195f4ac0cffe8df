"""PDR603: are `.next()` and `async=` used, which Python and torch no longer have?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import OldBatchRequest, OldCopyKeyword
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_name


@check("PDR603", "Iterators have no .next() method", fix="code", merges=True)
def old_iterator_api(source: Source, /) -> Findings:
    """
    Look for `.next()` on iterators of loaders, and for `async=True` in copies.

    ## Why it hurts

    The method was removed: AttributeError in the first step. `async` is a keyword since
    Python 3.7: the whole file is a SyntaxError.

    ## How it is judged

    The object is known to be `iter(loader)`. A prefetcher class of the project may
    define such a method, and is not reported. A file that is valid but for the keyword
    is read, and judged like any other.

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
    yield from _judge_keywords(source)


def _judge_keywords(source: Source) -> Findings:
    for group in group_by_class(source.select_events(OldCopyKeyword)):
        yield make_code_finding(
            list_spots(group),
            Severity.BREAKS,
            f"{group[0].function} uses async, a keyword since Python 3.7: {group[0].name}",
            in_code(
                "Write non_blocking instead",
                "batch.cuda(non_blocking=True)",
                edits=combine_edits(
                    replace_pieces(event, {"word": "non_blocking"}) for event in group
                ),
            ),
            names=sorted({event.name for event in group}),
        )


def _choose_iterator(call: str) -> str:
    """``batches`` of ``batches.next()``."""
    return choose_name(call.removesuffix("()").rpartition(".")[0], "iterator")
