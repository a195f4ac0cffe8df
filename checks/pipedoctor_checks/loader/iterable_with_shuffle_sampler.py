"""PDR112: is an iterable dataset given an order from outside?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import remove_argument
from pipedoctor.facts import Source
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import argument_confidence, loader_name


@check("PDR112", "Iterable dataset with shuffle or a sampler", fix="code", subject="loader")
def iterable_with_shuffle_sampler(source: Source, /) -> Findings:
    """
    Look for `shuffle=True` or a sampler on a loader of an iterable dataset.

    ## Why it hurts

    The constructor raises ValueError: an iterable dataset has no indices to order.

    ## How it is judged

    The class of the dataset derives from IterableDataset, and the value of the argument
    is known. `shuffle=False` is accepted by torch and by this check.

    ## Bad example

    ```python
    class Lines(IterableDataset):
        def __init__(self, path):
            self.path = path

        def __iter__(self):
            with open(self.path) as file:
                yield from file

    loader = DataLoader(Lines("train.txt"), batch_size=64, shuffle=True, num_workers=1)
    ```

    ## Good example

    ```python
    class Lines(IterableDataset):
        def __init__(self, path):
            self.path = path

        def __iter__(self):
            with open(self.path) as file:
                yield from file

    loader = DataLoader(Lines("train.txt"), batch_size=64, num_workers=1)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#iterable-style-datasets
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for loader in source.loaders:
        dataset, shuffle = loader.dataset, loader.get("shuffle")
        sampler = loader.get("sampler")
        ordered = shuffle.is_known and shuffle.value is True
        sampled = sampler.form in {"call", "class"} and "None" not in sampler.text
        if dataset is None or dataset.style != "iterable":
            continue
        if ordered or sampled:
            argument = "shuffle=True" if ordered else "a sampler"
            name = "shuffle" if ordered else "sampler"
            otherwise = "False" if ordered else "None"
            yield make_code_finding(
                loader.places,
                Severity.BREAKS,
                f"{loader_name(loader)} gets {argument} for an iterable dataset: ValueError",
                in_code(
                    "Shuffle inside the dataset",
                    edits=remove_argument(loader, name, otherwise),
                    unsafe="nothing shuffles the stream until the dataset does so itself",
                ),
                confidence=argument_confidence(shuffle),
                dataset=dataset.name,
            )
