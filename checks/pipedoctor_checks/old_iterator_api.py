"""PDR603: is `.next()` called on the iterator of a loader?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import every, replaced
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR603", "Iterators have no method next")
def old_iterator_api(source: Source, /) -> Findings:
    """
    Look for `.next()` on iterators of loaders.

    ## Why it hurts

    The method is gone: AttributeError in the first step.

    ## How it is judged

    The object is known to be `iter(loader)`. A prefetcher of the project's own may
    well have such a method.

    ## Sources

    - https://docs.python.org/3/library/functions.html#next
    """
    for group in by_class(source.of("old-next")):
        yield at(
            spots(group),
            Severity.BREAKS,
            f"{group[0].function} calls a method that iterators lost: {group[0].name}",
            in_code(
                "Call the function",
                "next(iterator)",
                edits=every(
                    replaced(event, {"start": "next(", "tail": ")"}) for event in group
                ),
            ),
            names=sorted({event.name for event in group}),
        )
