"""PDR106: do the workers of a loader end with each epoch?"""

from pipedoctor.check import Confidence, Counterfactual, Findings, Severity, check
from pipedoctor.edits import Edits, arguments, plain
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._alike import alike
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, only_copies, tells, told, without_workers
from pipedoctor_checks._start import start_method


@check("PDR106", "Workers are started anew for every epoch")
def persistent_workers_missing(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for loaders in a loop over epochs whose workers are not kept.

    ## Why it hurts

    Each `for` over the loader starts all workers again: four of them took 59 ms by
    fork, 2.7 s by forkserver and 3.0 s by spawn, measured on torch 2.13. Forkserver
    is the default on Linux from Python 3.14 on.

    ## How it is judged

    All arguments are seen, there may be workers, and the loop over the loader stands
    in a loop over epochs, here or around the call. Under fork it is a note. A sampler
    that never ends makes one long epoch of all. Where the data set counts epochs
    itself the remedy would harm, and is not offered (PDR505). Where it is changed
    between epochs in another way, starting anew by fork costs less than it is worth.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    yield from alike(source, _found(source, interpreter, site))


def _starts_once(loader: LoaderCall) -> bool:
    """Is there nothing worth keeping: one pass, no workers, a loader made anew?"""
    endless = loader.get("batch_sampler").how != "absent" or _endless(loader)
    idle = without_workers(loader) or loader.testing or bool(loader.framework)
    once = not loader.repeats or bool(loader.rebuilt)
    needless = bool(loader.lasting) or only_copies(loader)
    return needless or idle or endless or once


def _found(
    source: Source, interpreter: Interpreter | None, site: Site | None
) -> Findings:
    for loader in source.loaders:
        method, why = start_method(source, loader.at.path, interpreter, site)
        own = loader.get("multiprocessing_context").value
        if own in {"fork", "spawn", "forkserver"}:
            method, why = str(own), "its multiprocessing_context"
        kept = loader.get("persistent_workers")
        off = kept.how == "absent" or (kept.known and not kept.value)
        workers = loader.get("num_workers")
        if not off or _starts_once(loader):
            continue
        epochs = tells(source)
        cheap = method == "fork" and epochs and not source.of("epoch-set")
        if cheap:
            continue
        remedy = in_code(
            "Keep them from epoch to epoch",
            "DataLoader(..., persistent_workers=num_workers > 0)",
            edits=_lasting(loader) if kept.how in {"absent", "literal"} else (),
            unsafe="what a data set counts or caches then lives on in each worker",
        )
        told_epoch = in_code(
            "Share the epoch with the workers before you keep them",
            "self.epoch = torch.zeros(1).share_memory_()",
            kept="the data set is told each epoch, which workers that live on would"
            " never hear (PDR505)",
        )
        yield at(
            [loader.at],
            Severity.NOTE if method == "fork" else Severity.SLOWS,
            f"{called(loader)} starts its workers anew for every epoch, by {method}",
            told_epoch if epochs else remedy,
            confidence=Confidence.LIKELY,
            counterfactual=None if epochs else Counterfactual(persistent=True),
            num_workers=told(workers),
            start_method=f"{method}: {why}",
        )


def _endless(loader: LoaderCall) -> bool:
    """A sampler that draws a fixed, huge number of samples."""
    return "num_samples" in loader.get("sampler").text


def _lasting(loader: LoaderCall) -> Edits:
    """For workers whose number is written there, or has a name."""
    if loader.get("num_workers").how == "literal":
        return arguments(loader, persistent_workers="True")
    name = plain(loader, "num_workers")
    return arguments(loader, persistent_workers=f"{name} > 0") if name else ()
