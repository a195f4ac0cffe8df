"""PDR310: does code for items fill a dictionary of its module?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import GlobalCacheGrowth
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR310", "A module-level cache grows in each worker", subject="item")
def module_global_cache(source: Source, /) -> Findings:
    """
    Look for module-level dictionaries that grow in code for items.

    ## Why it hurts

    Each worker fills its own copy and loses it when it ends; its size has no limit.

    ## How it is judged

    A dictionary or list that starts empty at the top level of a module gets an entry
    under a variable key, and none are removed there. Entries under constant keys are
    flags, not a cache.

    ## Bad example

    ```python
    CACHE = {}

    class Rows(Dataset):
        def __getitem__(self, index):
            if index not in CACHE:
                CACHE[index] = np.load(self.files[index])
            return CACHE[index]
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
    """
    events = [e for e in source.select_item_events(GlobalCacheGrowth) if not e.details.emptied]
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE,
            f"{first.function} fills {first.name} separately in each worker",
            in_code("Limit its size, or fill it before the workers start"),
            confidence=Confidence.POSSIBLE,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
