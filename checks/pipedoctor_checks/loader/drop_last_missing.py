"""PDR109: may the last batch be too small for BatchNorm?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, edit_arguments
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import format_argument, loader_name

_DATASET_SIZES = {
    "MNIST": 60_000,
    "FashionMNIST": 60_000,
    "KMNIST": 60_000,
    "CIFAR10": 50_000,
    "CIFAR100": 50_000,
    "SVHN": 73_257,
    "STL10": 5_000,
    "ImageNet": 1_281_167,
}
"""Number of training samples in torchvision's downloadable datasets, from their pages."""


_GRAPH_LIBRARY = "torch_geometric."
"""Their BatchNorm counts nodes and edges: a batch of one graph still has many."""


@check("PDR109", "The last batch may contain a single sample", fix="code", subject="loader")
def drop_last_missing(source: Source, /) -> Findings:
    """
    Look for training loaders that keep a partial last batch in projects with BatchNorm.

    ## Why it hurts

    If a single sample is left over, BatchNorm in training mode raises ValueError:
    Expected more than 1 value per channel. The error appears at the end of the first
    epoch, and only for some dataset sizes.

    ## How it is judged

    The loader feeds a training loop and no other, as far as its call shows; `drop_last`
    is not set; all arguments are visible; and the project uses BatchNorm.
    The size of the dataset is unknown, so the finding is possible, never certain. Not
    reported: torchvision datasets of known size where more than one sample is left over
    or the batch size is unknown, and batches of graphs, because BatchNorm counts their
    nodes. Nor is a project whose networks normalise only maps that they convolve, as a
    ResNet does: a channel of one sample has many values there. Features without a map
    and maps that are pooled to one value have one. Reported once per project.

    ## Bad example

    ```python
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8))
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    for rows in loader:
        model(rows).mean().backward()
    ```

    ## Good example

    ```python
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8))
    loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
    for rows in loader:
        model(rows).mean().backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html
    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """
    found = [loader for loader in source.loaders if _has_partial_batch(source, loader)]
    if found:
        first, more = found[0], len(found) - 1
        given = first.get("drop_last")
        edits = [
            edit_arguments(x, drop_last="True") if x.get("drop_last").how == "absent" else ()
            for x in found
        ]
        others = f" and {more} more" if more else ""
        yield make_code_finding(
            [loader.at for loader in found],
            Severity.NOTE,
            f"{loader_name(first)}{others} may end with a batch of one sample, on which"
            " BatchNorm fails",
            in_code(
                "Drop the last incomplete batch",
                "DataLoader(..., drop_last=True)",
                edits=combine_edits(edits),
                unsafe="the last samples of each epoch are dropped, and all samples if they do"
                " not fill one batch",
            ),
            confidence=Confidence.POSSIBLE,
            drop_last=format_argument(given),
        )


def _has_partial_batch(source: Source, loader: LoaderCall) -> bool:
    """May the last batch that these loaders train with have any size?"""
    last = loader.get("drop_last")
    off = last.how == "absent" or (last.is_known and not last.value)
    size = loader.get("batch_size")
    whole = size.how == "literal" and size.value is None  # the dataset makes batches itself
    alone = whole or size.how == "absent" or (size.value == 1 and size.how != "default")
    batched = loader.get("batch_sampler").how != "absent"
    shuffle = loader.get("shuffle")
    named = loader.target or "train" in loader.function.lower()
    both = not named and shuffle.how != "absent" and not shuffle.is_known
    trains = not both and any(source.loops[n].role == "train" for n in loader.fed)
    graphs = loader.name.startswith(_GRAPH_LIBRARY)
    if last.how == "literal" or not off or alone or batched or loader.testing:
        return False
    fits = loader.role == "eval" or _is_last_batch_safe(loader)
    return trains and loader.batch_norm and not fits and not graphs


def _is_last_batch_safe(loader: LoaderCall) -> bool:
    """Is more than one sample left over, or is the batch size unknown?"""
    name = loader.dataset.name if loader.dataset else ""
    samples = _DATASET_SIZES.get(name.removeprefix("torchvision.datasets."))
    size = loader.get("batch_size").value
    one = isinstance(size, int) and size > 0 and samples and samples % size == 1
    return samples is not None and not one
