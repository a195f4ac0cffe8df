"""PDR109: may the last batch be too small for BatchNorm?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import arguments, every
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, told

_SIZES = {
    "MNIST": 60_000,
    "FashionMNIST": 60_000,
    "KMNIST": 60_000,
    "CIFAR10": 50_000,
    "CIFAR100": 50_000,
    "SVHN": 73_257,
    "STL10": 5_000,
    "ImageNet": 1_281_167,
}
"""Samples to train with in what torchvision downloads, as their pages say."""


_GRAPHS = "torch_geometric."
"""Their BatchNorm sees nodes and edges: a batch of one graph still has many."""


@check("PDR109", "The last batch may hold a single sample")
def drop_last_missing(source: Source, /) -> Findings:
    """
    Look for training loaders that keep a last batch of any size, with BatchNorm.

    ## Why it hurts

    With a single sample left over, BatchNorm in training mode raises ValueError:
    Expected more than 1 value per channel. It shows at the end of the first epoch,
    and only for some sizes of the data set.

    ## How it is judged

    The loader feeds a loop that trains, and no other as far as its call tells,
    `drop_last` is not written, all arguments are seen, and BatchNorm (or a ResNet) is
    used in the project. The size of the data set is not known, so this is possible,
    never certain; data sets of torchvision whose size is known are left alone where
    more than one sample is left, or the size of a batch is not known; so are batches of
    graphs, whose nodes are what BatchNorm counts. It is said once of a project.

    ## Sources

    - https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm1d.html
    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """
    found = [loader for loader in source.loaders if _may_end(source, loader)]
    if found:
        first, more = found[0], len(found) - 1
        given = first.get("drop_last")
        edits = [
            arguments(x, drop_last="True") if x.get("drop_last").how == "absent" else ()
            for x in found
        ]
        others = f" and {more} more" if more else ""
        yield at(
            [loader.at for loader in found],
            Severity.NOTE,
            f"{called(first)}{others} may end with a batch of one: not for BatchNorm",
            in_code(
                "Drop it",
                "DataLoader(..., drop_last=True)",
                edits=every(edits),
                unsafe="the last samples of an epoch are left out, and all of them"
                " where they do not fill a batch",
            ),
            confidence=Confidence.POSSIBLE,
            drop_last=told(given),
        )


def _may_end(source: Source, loader: LoaderCall) -> bool:
    """May the last batch of those that it trains with be of any size?"""
    last = loader.get("drop_last")
    off = last.how == "absent" or (last.known and not last.value)
    size = loader.get("batch_size")
    alone = size.how == "absent" or (size.value == 1 and size.how != "default")
    batched = loader.get("batch_sampler").how != "absent"
    shuffle = loader.get("shuffle")
    named = loader.target or "train" in loader.function.lower()
    both = not named and shuffle.how != "absent" and not shuffle.known
    trains = not both and any(source.loops[n].role == "train" for n in loader.fed)
    graphs = loader.name.startswith(_GRAPHS)
    if last.how == "literal" or not off or alone or batched or loader.testing:
        return False
    fits = loader.role == "eval" or _fits(loader)
    return trains and loader.batch_norm and not fits and not graphs


def _fits(loader: LoaderCall) -> bool:
    """Is more than one sample left of as many as are known; few sizes leave one?"""
    name = loader.dataset.name if loader.dataset else ""
    samples = _SIZES.get(name.removeprefix("torchvision.datasets."))
    size = loader.get("batch_size").value
    one = isinstance(size, int) and size > 0 and samples and samples % size == 1
    return samples is not None and not one
