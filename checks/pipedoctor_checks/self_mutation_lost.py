"""PDR307: does an item change the data set it belongs to?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR307", "What an item changes is lost")
def self_mutation_lost(source: Source, /) -> Findings:
    """
    Look for counters and sets on `self` that code for items changes.

    ## Why it hurts

    Each worker changes a copy of its own: a counter stood at 0 in the main process
    after 16 items with workers, at 16 without. What depends on it differs with the
    number of workers.

    ## How it is judged

    An attribute is counted up or down, or something is taken out of it, in code for
    items. Where that is done only for samples that fail, or where another type of the
    attribute shares it, it is a note.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://docs.python.org/3/library/multiprocessing.html#multiprocessing.Value
    """
    events = source.per_item("counts")
    for group in by_class(events):
        first = group[0]
        spare = all(event.details.get("spare") for event in group)
        yield at(
            spots(group),
            Severity.NOTE if spare else Severity.RISKS,
            f"{first.function} changes {first.name}, which each worker has for itself",
            in_code("Share it", "self.count = multiprocessing.Value('q', 0)"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
