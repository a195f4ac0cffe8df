"""PDR112: is an iterable data set given an order from outside?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import without
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, sure


@check("PDR112", "An iterable data set with shuffle or a sampler")
def iterable_with_shuffle_sampler(source: Source, /) -> Findings:
    """
    Look for `shuffle=True` or a sampler beside an iterable data set.

    ## Why it hurts

    The constructor raises ValueError: an iterable data set has no indices that could
    be ordered.

    ## How it is judged

    The class of the data set derives from IterableDataset, and the argument is known.
    `shuffle=False` is accepted by torch and by this check.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#iterable-style-datasets
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for loader in source.loaders:
        dataset, shuffle = loader.dataset, loader.get("shuffle")
        sampler = loader.get("sampler")
        ordered = shuffle.known and shuffle.value is True
        sampled = sampler.form in {"call", "class"} and "None" not in sampler.text
        if dataset is None or dataset.style != "iterable":
            continue
        if ordered or sampled:
            said = "shuffle=True" if ordered else "a sampler"
            name = "shuffle" if ordered else "sampler"
            otherwise = "False" if ordered else "None"
            yield at(
                [loader.at],
                Severity.BREAKS,
                f"{called(loader)} gets {said} for an iterable data set: ValueError",
                in_code(
                    "Shuffle inside the data set",
                    edits=without(loader, name, otherwise),
                    unsafe="nothing shuffles the stream until the data set does",
                ),
                confidence=sure(shuffle),
                dataset=dataset.name,
            )
