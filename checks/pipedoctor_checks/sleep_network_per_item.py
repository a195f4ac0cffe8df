"""PDR207: does every item sleep or ask the network?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR207", "Every item waits")
def sleep_network_per_item(source: Source, /) -> Findings:
    """
    Look for sleeping and requests in code that runs for items.

    ## Why it hurts

    A worker that waits makes no items; a request without timeout waits for ever.

    ## How it is judged

    `time.sleep` or a request is called for items. Waiting before another attempt, in
    `except` or in a loop of attempts, is left alone.

    ## Sources

    - https://docs.python-requests.org/en/latest/user/advanced/#timeouts
    - https://docs.python.org/3/library/time.html#time.sleep
    """
    events = [
        e
        for e in source.per_item("sleep", "network")
        if not (e.name == "time.sleep" and e.loops)
    ]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.SLOWS,
            f"{first.function} waits for every item",
            in_code("Fetch before training, or prefetch and set a timeout"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
