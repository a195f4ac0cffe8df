"""PDR308: is a sample of a cache changed in place?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR308", "The cached sample is changed")
def cached_sample_mutated(source: Source, /) -> Findings:
    """
    Look for arrays that are taken from a container on `self` and written to.

    ## Why it hurts

    The cache then holds the changed array: the next epoch augments what is augmented
    already.

    ## How it is judged

    A variable is bound to an element of `self.x[...]` and then written to by index,
    with no copy in between. A selection by an array of indices is a copy already.

    ## Sources

    - https://numpy.org/doc/stable/user/basics.copies.html
    """
    events = source.per_item("mutates-cached")
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.BREAKS,
            f"{first.function} writes into what {first.name} keeps",
            in_code("Copy it first", "sample = self.cache[index].copy()"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
