"""PDR110: is training data never shuffled?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import Edits, arguments, plain
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, told


@check("PDR110", "The training order is the same in every epoch")
def train_not_shuffled(source: Source, /) -> Findings:
    """
    Look for training loaders without shuffling and without a sampler.

    ## Why it hurts

    Batches of the same samples in the same order bias the gradient, worst where the
    files are sorted by class.

    ## How it is judged

    The loader is the training one by its name or its loop, which comes again in each
    epoch; `shuffle` is False or not
    given; there is no sampler, or only in one branch. Iterable data sets shuffle
    themselves.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
    """
    yield from alike(source, _found(source))


def _found(source: Source) -> Findings:
    for loader in source.loaders:
        shuffle, sampler = loader.get("shuffle"), loader.get("sampler")
        fixed = shuffle.how == "absent" or (shuffle.known and shuffle.value is False)
        none = sampler.how == "absent" or (sampler.known and sampler.value is None)
        either = sampler.form == "choice" and "None" in sampler.name
        batched = loader.get("batch_sampler").how != "absent"
        trains = any(source.loops[n].role == "train" for n in loader.fed)
        itself = loader.dataset is None or loader.dataset.style != "map"
        if loader.role == "eval" or batched or itself or loader.testing:
            continue
        if fixed and (none or either) and trains and loader.repeats:
            unless = (
                f"{plain(loader, 'sampler') or 'sampler'} is None" if either else "True"
            )
            branch = " where there is no sampler" if either else ""
            yield at(
                [loader.at],
                Severity.RISKS,
                f"{called(loader)} trains in the same order in every epoch{branch}",
                in_code(
                    "Shuffle it",
                    f"DataLoader(..., shuffle={unless})",
                    edits=_shuffled(loader, either=either),
                    unsafe="the order of training changes, and with it every number",
                ),
                confidence=Confidence.LIKELY,
                shuffle=told(shuffle),
                sampler=sampler.text or "not given",
            )


def _shuffled(loader: LoaderCall, *, either: bool) -> Edits:
    """Where there may be a sampler, only without it; never for a stream."""
    surely = loader.dataset is not None and not loader.dataset.name.startswith(
        "torchtext"
    )
    if loader.get("shuffle").how not in {"absent", "literal"} or not surely:
        return ()
    name = plain(loader, "sampler")
    if either:
        return arguments(loader, shuffle=f"{name} is None") if name else ()
    return arguments(loader, shuffle="True")
