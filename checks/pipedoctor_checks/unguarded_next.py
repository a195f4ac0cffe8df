"""PDR405: does a loop of steps take batches from an iterator that may end?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR405", "The iterator ends before the loop")
def unguarded_next(source: Source, /) -> Findings:
    """
    Look for `next` on the iterator of a loader in a loop, with nothing for its end.

    ## Why it hurts

    After one epoch it raises StopIteration, and the training ends with a traceback.

    ## How it is judged

    `next(it)` stands in a loop, `it` is `iter` of a loader that is known, and there
    is neither a `try` around it nor a default. A loop as long as the loader is one of
    its epochs.

    ## Sources

    - https://docs.python.org/3/library/functions.html#next
    """
    for event in source.of("next"):
        tried = (
            event.handler
            or event.details.get("tried")
            or event.details.get("endless")
            or event.details.get("counted")
        )
        if event.details.get("looped") and not tried:
            yield at(
                [event.at],
                Severity.RISKS,
                f"{event.function} takes from an iterator that ends: {event.name}",
                in_code("Loop over the loader, or begin anew at its end"),
                confidence=Confidence.POSSIBLE,
            )
