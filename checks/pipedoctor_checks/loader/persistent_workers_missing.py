"""PDR106: do the workers of a loader end with each epoch?"""

from pipedoctor.check import (
    Confidence,
    Counterfactual,
    Findings,
    Remedy,
    Severity,
    check,
    in_code,
)
from pipedoctor.check.edits import Edits, edit_arguments, get_plain_argument
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    format_argument,
    has_no_workers,
    is_changed_outside,
    is_copy_only,
    is_only_looked_at,
    is_told_epoch,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file
from pipedoctor_checks._shared.start_method import find_start_method


@check("PDR106", "Workers restart in every epoch", fix="code", subject="loader", merges=True)
def persistent_workers_missing(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for loaders in a loop over epochs that do not keep their workers.

    ## Why it hurts

    Each `for` over the loader starts all workers again: four of them took 59 ms by
    fork, 2.7 s by forkserver and 3.0 s by spawn, measured on torch 2.13. Forkserver
    is the default on Linux from Python 3.14 on.

    ## How it is judged

    All arguments are visible, there may be workers, and the loop over the loader is
    inside a loop over epochs, directly or through a call. With fork it is a note. A
    sampler that never ends makes one long epoch, and is not reported; nor is a loader that
    is made again within the loop over epochs, nor a dataset that is only tried out under
    the main guard of its own file. If the dataset
    counts epochs itself, the remedy would do harm, and is not offered (PDR505). If the
    dataset is changed between epochs in another way, restarting by fork costs less than
    keeping the workers is worth. `persistent_workers=False` that is written out is not
    changed by the edit: the dataset may start threads that must end with its workers.

    ## Bad example

    ```python
    def train(dataset, model):
        loader = DataLoader(dataset, shuffle=True, num_workers=4)
        for epoch in range(90):
            for rows in loader:
                model(rows).backward()
    ```

    ## Good example

    ```python
    def train(dataset, model):
        loader = DataLoader(dataset, shuffle=True, num_workers=4, persistent_workers=True)
        for epoch in range(90):
            for rows in loader:
                model(rows).backward()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    yield from merge_per_file(source, _judge_loaders(source, interpreter, site))


def _starts_once(loader: LoaderCall) -> bool:
    """Is there nothing to keep: one pass, no workers, or a loader that is created again?"""
    endless = _is_endless(loader)
    idle = has_no_workers(loader) or loader.testing
    once = not loader.repeats or bool(loader.rebuilt) or loader.renewed
    needless = bool(loader.lasting) or is_copy_only(loader)
    return needless or idle or endless or once


def _judge_loaders(source: Source, interpreter: Interpreter | None, site: Site | None) -> Findings:
    for loader in source.loaders:
        method, why = find_start_method(source, loader.at.path, interpreter, site, [loader])
        kept = loader.get("persistent_workers")
        off = kept.how == "absent" or (kept.is_known and not kept.value)
        workers = loader.get("num_workers")
        if not off or _starts_once(loader) or is_only_looked_at(source, loader):
            continue
        told = is_told_epoch(source, loader)
        changed = is_changed_outside(source, loader)
        epochs = told or changed
        if changed and method == "fork" and not told:
            continue
        yield make_code_finding(
            loader.places,
            Severity.NOTE if method == "fork" else Severity.SLOWS,
            f"{loader_name(loader)} restarts its workers in every epoch, by {method}",
            _share_epoch() if epochs else _keep_workers(loader),
            confidence=Confidence.LIKELY,
            counterfactual=None if epochs else Counterfactual(persistent=True),
            num_workers=format_argument(workers),
            start_method=f"{method}: {why}",
        )


def _keep_workers(loader: LoaderCall) -> Remedy:
    """Keep them, unless somebody has written that they should not stay."""
    kept = loader.get("persistent_workers")
    is_sure = loader.get("num_workers").how == "literal"
    return in_code(
        "Keep the workers between epochs",
        f"DataLoader(..., persistent_workers={'True' if is_sure else 'num_workers > 0'})",
        edits=_make_persistent(loader) if kept.how == "absent" else (),
        unsafe="each worker then keeps what the dataset counts or caches, and with a seed later"
        " epochs have another order",
        kept="persistent_workers=False is set explicitly: the dataset may start threads or"
        " keep state that has to end with its workers"
        if kept.how == "literal"
        else "",
    )


def _share_epoch() -> Remedy:
    """What has to be done before workers may stay that are told the epoch."""
    return in_code(
        "Share the epoch with the workers before keeping them",
        "self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()",
        kept="the epoch is set on the dataset, and persistent workers would not receive it"
        " (PDR505)",
    )


def _is_endless(loader: LoaderCall) -> bool:
    """A sampler that never ends, or may not; one that draws a fixed, huge number of samples."""
    unseen = loader.get("batch_sampler").how != "absent" and loader.sampler_ends is None
    never = loader.sampler_ends is False
    return unseen or never or "num_samples" in loader.get("sampler").text


def _make_persistent(loader: LoaderCall) -> Edits:
    """For loaders whose number of workers is a literal or a variable."""
    if loader.get("num_workers").how == "literal":
        return edit_arguments(loader, persistent_workers="True")
    name = get_plain_argument(loader, "num_workers")
    return edit_arguments(loader, persistent_workers=f"{name} > 0") if name else ()
