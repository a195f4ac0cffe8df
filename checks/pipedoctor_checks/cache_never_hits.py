"""PDR211: is a cache looked up by one key and filled by another?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR211", "A cache is asked for other keys than it keeps")
def cache_never_hits(source: Source, /) -> Findings:
    """
    Look for caches in code for items whose test and whose entry name different keys.

    ## Why it hurts

    The test never finds what was kept: everything is computed again for each item,
    and the cache costs memory besides.

    ## How it is judged

    `if a not in cache: cache[b] = ...`, where `b` is another expression than `a`, and
    nothing else is kept there.

    ## Sources

    - https://github.com/jik876/hifi-gan/blob/master/meldataset.py
    """
    for event in source.per_item("missed-key"):
        yield at(
            [event.at],
            Severity.SLOWS,
            f"{event.function} asks {event.name} for {event.details['asked']},"
            f" but keeps {event.details['kept']}",
            in_code("Ask for the key that is kept"),
            confidence=Confidence.LIKELY,
            asked=event.details["asked"],
            kept=event.details["kept"],
        )
