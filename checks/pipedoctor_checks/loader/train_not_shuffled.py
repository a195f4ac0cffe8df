"""PDR110: is training data never shuffled?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, edit_arguments, get_plain_argument
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import format_argument, loader_name
from pipedoctor_checks._shared.merge_per_file import merge_per_file


@check(
    "PDR110", "Training order is the same in every epoch", fix="code", subject="loader", merges=True
)
def train_not_shuffled(source: Source, /) -> Findings:
    """
    Look for training loaders without shuffling and without a sampler.

    ## Why it hurts

    Batches of the same samples in the same order bias the gradient, especially if the
    files are sorted by class.

    ## How it is judged

    The loader is used for training, by its name or its loop, and the loop is repeated
    in each epoch. `shuffle` is False or not given. There is no sampler, or a sampler in
    only one branch. Iterable datasets shuffle themselves, and are not reported. Where a
    shuffled loader feeds the same loop, the other one is taken for validation.

    ## Bad example

    ```python
    from torchvision import datasets

    def train(model):
        digits = datasets.MNIST("data")
        loader = DataLoader(digits, num_workers=4, persistent_workers=True)
        for epoch in range(90):
            for images, labels in loader:
                model(images, labels).backward()
    ```

    ## Good example

    ```python
    from torchvision import datasets

    def train(model):
        digits = datasets.MNIST("data")
        loader = DataLoader(digits, shuffle=True, num_workers=4, persistent_workers=True)
        for epoch in range(90):
            for images, labels in loader:
                model(images, labels).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
    """
    yield from merge_per_file(source, _judge_loaders(source))


def _judge_loaders(source: Source) -> Findings:
    shuffled = {n for loader in source.loaders if _is_shuffled(loader) for n in loader.fed}
    for loader in source.loaders:
        shuffle, sampler = loader.get("shuffle"), loader.get("sampler")
        fixed = _is_fixed(loader)
        none = sampler.how == "absent" or (sampler.is_known and sampler.value is None)
        either = sampler.form == "choice" and "None" in sampler.name
        batched = loader.get("batch_sampler").how != "absent"
        trains = any(source.loops[n].role == "train" for n in set(loader.fed) - shuffled)
        itself = loader.dataset is None or loader.dataset.style != "map"
        if loader.role == "eval" or batched or itself or loader.testing:
            continue
        if fixed and (none or either) and trains and loader.repeats:
            unless = (
                f"{get_plain_argument(loader, 'sampler') or 'sampler'} is None"
                if either
                else "True"
            )
            branch = " where there is no sampler" if either else ""
            yield make_code_finding(
                loader.places,
                Severity.RISKS,
                f"{loader_name(loader)} trains in the same order in every epoch{branch}",
                in_code(
                    "Shuffle the training data",
                    f"DataLoader(..., shuffle={unless})",
                    edits=_add_shuffle(loader, either=either),
                    unsafe="the training order changes, and all results with it",
                ),
                confidence=Confidence.LIKELY,
                shuffle=format_argument(shuffle),
                sampler=sampler.text or "not given",
            )


def _is_fixed(loader: LoaderCall) -> bool:
    shuffle = loader.get("shuffle")
    return shuffle.how == "absent" or (shuffle.is_known and shuffle.value is False)


def _is_shuffled(loader: LoaderCall) -> bool:
    """Is it for sure shuffled, by itself or by a sampler?"""
    shuffle, sampler = loader.get("shuffle"), loader.get("sampler")
    return bool(shuffle.is_known and shuffle.value) or (
        sampler.how != "absent" and not sampler.is_known and sampler.form != "choice"
    )


def _add_shuffle(loader: LoaderCall, *, either: bool) -> Edits:
    """If there may be a sampler, shuffle only without it; never for a stream."""
    surely = loader.dataset is not None and not loader.dataset.name.startswith("torchtext")
    if loader.get("shuffle").how not in {"absent", "literal"} or not surely:
        return ()
    name = get_plain_argument(loader, "sampler")
    if either:
        return edit_arguments(loader, shuffle=f"{name} is None") if name else ()
    return edit_arguments(loader, shuffle="True")
