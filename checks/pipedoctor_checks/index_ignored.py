"""PDR213: does `__getitem__` draw at random whatever it is asked for?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR213", "The item has nothing to do with its index")
def index_ignored(source: Source, /) -> Findings:
    """
    Look for `__getitem__` that draws its item at random.

    ## Why it hurts

    Shuffling and samplers then mean nothing, an epoch is no pass over the data, and a
    DistributedSampler does not split it.

    ## How it is judged

    The index is not used, or only whether it is odd, and something is drawn at
    random. Where that is meant, an IterableDataset says so.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#iterable-style-datasets
    """
    for event in source.of("index-ignored"):
        yield at(
            [event.at],
            Severity.NOTE,
            f"{event.function} draws its item at random, whatever index is asked for",
            in_code("Make it an IterableDataset, or draw in a sampler"),
            confidence=Confidence.LIKELY,
            index=event.name,
        )
