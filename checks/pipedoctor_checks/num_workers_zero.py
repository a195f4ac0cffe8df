"""PDR101: does a loader with real work have no workers?"""

from pipedoctor.check import Confidence, Counterfactual, Findings, Severity, check
from pipedoctor.edits import Edits, arguments
from pipedoctor.facts import Pipeline, Setting, Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import (
    called,
    tells,
    told,
    tried_out,
    without_workers,
    works,
)
from pipedoctor_checks._measured import best_for

USUAL = Setting(num_workers=2, prefetch_factor=2)


@check("PDR101", "Items are loaded in the training process")
def num_workers_zero(source: Source, seen: Pipeline | None = None, /) -> Findings:
    """
    Look for loaders without workers whose items are read, decoded or parsed.

    ## Why it hurts

    Without workers every item is made between two steps, in the process that feeds
    the GPU: the GPU waits for all of it.

    ## How it is judged

    `num_workers` is 0 or not given, all arguments are seen, and the data set is known
    to do real work per item. Data that lies in memory, tests, data sets that keep a
    handle which workers must not share (PDR302), and loaders whose arguments arrive in
    a dictionary that cannot be followed are left alone; a data set that is only tried
    out under the main guard of its own file is a note. With `check --measure TARGET`
    the number of workers is the best that was measured.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    - https://github.com/pytorch/pytorch/issues/81740
    """
    yield from alike(source, _found(source, seen))


def _found(source: Source, seen: Pipeline | None) -> Findings:
    for loader in source.loaders:
        dataset = loader.dataset
        workers = loader.get("num_workers")
        literal = workers.how in {"literal", "absent"}
        said = workers.how == "literal" and _unseen(loader)
        if not without_workers(loader) or loader.testing or _bound(source, loader):
            continue
        if not (works(loader) or said):
            continue
        best = best_for(seen, source, loader)
        best = best if best is not None and best.num_workers else USUAL
        yield at(
            [loader.at],
            Severity.NOTE if said or tried_out(source, loader) else Severity.SLOWS,
            f"{called(loader)} makes every item in the training process",
            in_code(
                "Give it workers, as many as a measurement says",
                _written(best),
                edits=_staffed(source, loader, best) if literal else (),
                unsafe="more processes and memory; pipedoctor tune says how many pay",
            ),
            confidence=Confidence.POSSIBLE if said else Confidence.LIKELY,
            counterfactual=Counterfactual(tuned=True),
            num_workers=told(workers),
            dataset=dataset.name if dataset else "",
        )


def _unseen(loader: LoaderCall) -> bool:
    """Does the data set come from elsewhere, but from no class that is not ours?"""
    made = loader.get("dataset")
    theirs = made.name.rpartition(".")[2][:1].isupper()
    whole = loader.get("batch_size")
    batches = whole.known and whole.how != "absent" and whole.value is None
    return loader.dataset is None and not theirs and not batches


def _bound(source: Source, loader: LoaderCall) -> bool:
    """Does its data set keep a handle that workers must not share (PDR302)?"""
    return loader.dataset is not None and any(
        event.owner == loader.dataset.name and event.details.get("used")
        for event in source.of("keeps-handle")
        if not (event.details.get("closed") or event.details.get("renewed"))
    )


def _staffed(source: Source, loader: LoaderCall, best: Setting) -> Edits:
    """Workers, which live on where there are epochs that nobody tells them."""
    wanted = _wanted(best)
    if loader.repeats:
        wanted["persistent_workers"] = "True"
    if tells(source):
        wanted.pop("persistent_workers", None)
    return arguments(loader, **wanted)


def _wanted(best: Setting) -> dict[str, str]:
    """Arguments that are not torch's defaults."""
    wanted = {"num_workers": str(best.num_workers)}
    if best.prefetch_factor not in {None, USUAL.prefetch_factor}:
        wanted["prefetch_factor"] = str(best.prefetch_factor)
    if best.persistent_workers:
        wanted["persistent_workers"] = "True"
    return wanted


def _written(best: Setting) -> str:
    words = (f"{name}={value}" for name, value in _wanted(best).items())
    return f"DataLoader(..., {', '.join(words)})"
