"""PDR303: does a data set cache items in the worker?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR303", "Each worker fills a cache of its own")
def cache_grows_in_item(source: Source, /) -> Findings:
    """
    Look for containers on `self` that grow in code for items.

    ## Why it hurts

    Each worker has its own copy of the cache, so that memory is needed many times
    over, and nothing is shared; with workers that end, it is lost after each epoch.

    ## How it is judged

    A dictionary or list that begins empty gets entries in code for items, and none is
    taken out there. Handles kept open, what is emptied, and what a manager shares among
    processes are left alone; so is `lru_cache` with a bound. Where the code asks how
    much there is before it adds more, or whether it was told to, by an argument that is
    False unless given, it is a note.

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.astral.sh/ruff/rules/cached-instance-method/
    """
    events = [
        e
        for e in source.per_item("grows", "memoised")
        if not e.details.get("handles") and not e.details.get("emptied")
    ]
    for group in by_class(events):
        first = group[0]
        bounded = all(event.details.get("bounded") for event in group)
        asked = all(event.details.get("asked") for event in group)
        limit = ", up to its bound," if bounded else ""
        limit = ", where it is asked to," if asked else limit
        yield at(
            spots(group),
            Severity.NOTE if bounded or asked else Severity.RISKS,
            f"{first.function} fills {first.name}{limit} in each worker anew",
            in_code("Fill it before the workers start, or share it"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
