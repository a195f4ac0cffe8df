"""PDR211: is a cache looked up by one key and filled by another?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import CacheKeyMismatch
from pipedoctor_checks._shared.code_finding import make_code_finding


@check("PDR211", "Cache lookups use a different key than cache entries", subject="item")
def cache_never_hits(source: Source, /) -> Findings:
    """
    Look for caches in code for items that test for one key and store another.

    ## Why it hurts

    The test never finds the stored item: everything is computed again for each item,
    and the cache only costs memory.

    ## How it is judged

    `if a not in cache: cache[b] = ...`, where `b` is a different expression than `a`,
    and nothing else is stored there.

    ## Bad example

    ```python
    CACHE = {}

    class Rows(Dataset):
        def __getitem__(self, index):
            path = self.files[index]
            if path not in CACHE:
                CACHE[str(path)] = np.load(path)
            return CACHE[str(path)]
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

    - https://github.com/jik876/hifi-gan/blob/master/meldataset.py
    """
    for event in source.select_item_events(CacheKeyMismatch):
        yield make_code_finding(
            [event.at],
            Severity.SLOWS,
            f"{event.function} looks up {event.details.asked} in {event.name},"
            f" but stores {event.details.kept}",
            in_code("Look up the key that is stored"),
            confidence=Confidence.LIKELY,
            asked=event.details.asked,
            kept=event.details.kept,
        )
