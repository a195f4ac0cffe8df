"""PDR201: does code for items print?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import cut, every
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots
from pipedoctor_checks._loop import seldom


@check("PDR201", "Every item prints")
def print_in_item(source: Source, /) -> Findings:
    """
    Look for `print` in code that runs for every item.

    ## Why it hurts

    Output of several workers is mixed, fills logs, and costs more than a light item:
    40,000 items took 0.080 s, with a print 0.131 s.

    ## How it is judged

    The function is reached from `__getitem__`, `__iter__`, a collate function or a
    transform, also through other files. Printing in `__init__`, in `except`, where
    nothing could be loaded, for a flag such as `verbose` or now and then is left alone.

    ## Sources

    - https://docs.python.org/3/library/logging.html
    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    said = [e for e in source.per_item("print") if not e.details.get("refuses")]
    events = [e for e in said if not seldom(e)]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.SLOWS,
            f"{first.function} prints while it makes an item",
            in_code(
                "Remove it, or log with a rate limit",
                edits=every(map(cut, group)),
                unsafe="what it prints is not seen any more",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
