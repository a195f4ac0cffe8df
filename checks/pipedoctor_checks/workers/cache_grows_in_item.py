"""PDR303: does a dataset cache items in the worker?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import CacheGrowth, MemoizedFunction
from pipedoctor.facts.code_events.details import EventDetails
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR303", "Each worker fills its own cache", subject="item")
def cache_grows_in_item(source: Source, /) -> Findings:
    """
    Look for containers on `self`, or of its class, that grow in code for items.

    ## Why it hurts

    Each worker has its own copy of the cache, so memory use is multiplied and nothing
    is shared; if the workers end with the epoch, the cache is lost each time.

    ## How it is judged

    A dictionary or list that starts empty gets entries in code for items, and none are
    removed there. Not reported: handles kept open, containers that are emptied,
    containers that a manager shares between processes, and `lru_cache` with a bound. It
    is a note if the code checks the size before it adds more, or if caching is enabled
    by an argument that defaults to False.

    ## Bad example

    ```python
    class Rows(Dataset):
        def __init__(self, files):
            self.files = files
            self.cache = {}

        def __getitem__(self, index):
            if index not in self.cache:
                self.cache[index] = np.load(self.files[index])
            return self.cache[index]
    ```

    ## Good example

    ```python
    import functools

    @functools.lru_cache(maxsize=100)
    def load(path):
        return np.load(path)

    class Rows(Dataset):
        def __getitem__(self, index):
            return load(self.files[index])
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/issues/13246
    - https://docs.astral.sh/ruff/rules/cached-instance-method/
    """
    events = [
        e
        for e in source.select_item_events(CacheGrowth, MemoizedFunction)
        if not _is_harmless(e.details)
    ]
    for group in group_by_class(events):
        first = group[0]
        growths = [event.details for event in group]
        bounded = all(isinstance(one, CacheGrowth) and one.bounded for one in growths)
        asked = all(isinstance(one, CacheGrowth) and one.asked for one in growths)
        limit = ", up to its bound," if bounded else ""
        limit = ", if caching is enabled," if asked else limit
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if bounded or asked else Severity.RISKS,
            f"{first.function} fills {first.name}{limit} separately in each worker",
            in_code("Fill it before the workers start, or share it"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _is_harmless(details: EventDetails) -> bool:
    """Does it hold open files, which another check judges, or is it emptied again?"""
    return isinstance(details, CacheGrowth) and (details.handles or details.emptied)
