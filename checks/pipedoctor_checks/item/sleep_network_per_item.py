"""PDR207: does every item sleep or ask the network?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import NetworkRequest, Sleep
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR207", "Every item sleeps or makes a network request", subject="item")
def sleep_network_per_item(source: Source, /) -> Findings:
    """
    Look for sleeps and network requests in code that runs for items.

    ## Why it hurts

    A worker that waits produces no items; a request without a timeout may wait forever.

    ## How it is judged

    `time.sleep` or a request is called for items. Waiting before a retry, in `except`
    or in a loop of attempts, is not reported; requests that all have a timeout are a note.

    ## Bad example

    ```python
    import requests

    class Pages(Dataset):
        def __getitem__(self, index):
            return requests.get(self.urls[index]).content
    ```

    ## Good example

    ```python
    class Pages(Dataset):
        def __getitem__(self, index):
            return self.files[index].read_bytes()
    ```

    ## Sources

    - https://docs.python-requests.org/en/latest/user/advanced/#timeouts
    - https://docs.python.org/3/library/time.html#time.sleep
    """
    events = [
        e
        for e in source.select_item_events(Sleep, NetworkRequest)
        if not (e.name == "time.sleep" and e.loops)
    ]
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if all(one.details.bounded for one in group) else Severity.SLOWS,
            f"{first.function} sleeps or makes a network request for every item",
            in_code("Fetch before training, or prefetch with a timeout"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
