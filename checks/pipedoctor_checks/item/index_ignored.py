"""PDR213: does `__getitem__` draw at random whatever it is asked for?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import IgnoredIndex
from pipedoctor_checks._shared.code_finding import make_code_finding


@check("PDR213", "The item does not depend on its index", subject="item", merges=True)
def index_ignored(source: Source, /) -> Findings:
    """
    Look for `__getitem__` methods that draw their item at random.

    ## Why it hurts

    Shuffling and samplers then have no effect, an epoch is not one pass over the data,
    and a DistributedSampler does not split it.

    ## How it is judged

    The index is not used, or only whether it is odd, and something is drawn at random.
    If that is intended, use an IterableDataset.

    ## Bad example

    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            return self.rows[random.randrange(len(self.rows))]
    ```

    ## Good example

    ```python
    class Rows(Dataset):
        def __getitem__(self, index):
            return self.rows[index]
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#iterable-style-datasets
    """
    for event in source.select_events(IgnoredIndex):
        yield make_code_finding(
            [event.at],
            Severity.NOTE,
            f"{event.function} draws its item at random, regardless of the index",
            in_code("Make it an IterableDataset, or draw in a sampler"),
            confidence=Confidence.LIKELY,
            index=event.name,
        )
