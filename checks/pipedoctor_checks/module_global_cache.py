"""PDR310: does code for items fill a dictionary of its module?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR310", "A cache of the module grows in each worker")
def module_global_cache(source: Source, /) -> Findings:
    """
    Look for dictionaries of a module that grow in code for items.

    ## Why it hurts

    Each worker fills a copy of its own, and loses it when it ends; no bound holds it.

    ## How it is judged

    A dictionary or list that begins empty at the top of a module gets an entry under
    a variable, and none is taken out there. Constants are flags, and no cache.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    """
    events = [
        e for e in source.per_item("global-grows") if not e.details.get("emptied")
    ]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.NOTE,
            f"{first.function} fills {first.name} in each worker anew",
            in_code("Bound it, or fill it before the workers start"),
            confidence=Confidence.POSSIBLE,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
