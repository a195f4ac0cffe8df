"""PDR101: does a loader with real work have no workers?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Counterfactual,
    Findings,
    Severity,
    check,
    in_code,
)
from pipedoctor.facts import Pipeline, Source
from pipedoctor.facts.code_events.dataset import HandleAttribute, UnshardedIteration
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    dataset_classes,
    find_gpu_code,
    format_argument,
    has_item_work,
    has_no_workers,
    is_trial_dataset,
    loader_name,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file
from pipedoctor_checks._shared.training_loop import is_single_evaluation
from pipedoctor_checks.loader._added_workers import (
    USUAL_SETTING,
    add_workers,
    format_call,
    format_option,
)
from pipedoctor_checks.loader._measured_workers import find_best_setting


@check(
    "PDR101", "Items are loaded in the training process", fix="code", subject="loader", merges=True
)
def num_workers_zero(source: Source, pipeline: Pipeline | None = None, /) -> Findings:
    """
    Look for loaders without workers whose items are read, decoded or parsed.

    ## Why it hurts

    Without workers, every item is loaded between two steps, in the process that feeds
    the GPU: the GPU waits the whole time.

    ## How it is judged

    `num_workers` is 0 or not given, all arguments are visible, and the dataset is known
    to do real work per item. Not reported: data in memory, tests, and loaders whose
    arguments come from a dictionary that cannot be traced. A dataset that holds a handle
    which workers must not share (PDR302) has to open it in the worker first, and items or
    batches that are made on the GPU (PDR301) have to be made on the CPU first. An IterableDataset
    has to yield only a share of its items in each worker first (PDR504); 0 that is written for
    one is left as it is. A dataset that is only tried out under the main guard of its own file,
    or evaluated in a single pass, is a note. With `check --measure TARGET`, the recommended
    number of workers is the best one measured.

    ## Bad example

    ```python
    from torchvision import datasets

    images = datasets.ImageFolder("train")
    loader = DataLoader(images, batch_size=64, shuffle=True)
    ```

    ## Good example

    ```python
    from torchvision import datasets

    images = datasets.ImageFolder("train")
    loader = DataLoader(images, batch_size=64, shuffle=True, num_workers=4)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    - https://github.com/pytorch/pytorch/issues/81740
    """
    findings = tuple(merge_per_file(source, _judge_loaders(source, pipeline)))
    if not findings and (doubt := _describe_doubt(source)):
        raise CannotJudge(doubt)
    yield from findings


def _describe_doubt(source: Source) -> str:
    """The first loader that may have no workers, or work for them, which nobody can see."""
    for loader in source.loaders:
        workers, at = loader.get("num_workers"), f"{loader.at.path}:{loader.at.line}"
        name = loader_name(loader, unnamed="this DataLoader")
        if loader.testing:
            continue
        if not workers.is_known and workers.form != "cpu count":
            return f"{at}: num_workers of {name} is not known"
        if has_no_workers(loader) and loader.dataset is None and not loader.collates:
            return f"{at}: what {name} does for an item is not in PATHS"
    return ""


def _judge_loaders(source: Source, pipeline: Pipeline | None) -> Findings:
    for loader in source.loaders:
        dataset = loader.dataset
        workers = loader.get("num_workers")
        literal = workers.how in {"literal", "absent"}
        is_explicit = workers.how == "literal" and _is_dataset_unknown(loader)
        stream = dataset is not None and dataset.style == "iterable"
        left = loader.testing or loader.sampled or (stream and workers.how == "literal")
        if not has_no_workers(loader) or left:
            continue
        if not (has_item_work(loader) or is_explicit):
            continue
        best = find_best_setting(pipeline, source, loader)
        best = best if best is not None and best.num_workers else USUAL_SETTING
        first = _name_first_step(source, loader)
        plain = literal and not (first or stream)
        yield make_code_finding(
            loader.places,
            Severity.NOTE if is_explicit or _is_tried(source, loader) else Severity.SLOWS,
            f"{loader_name(loader)} loads every item in the training process",
            in_code(
                f"{first}; then add workers"
                if first
                else "Add workers; measure how many are worthwhile",
                format_option(workers, best) or format_call(best),
                edits=add_workers(source, loader, best) if plain else (),
                unsafe="more processes and more memory, and with a seed another order in later"
                " epochs; pipedoctor tune measures how many are worthwhile",
            ),
            confidence=Confidence.POSSIBLE if is_explicit else Confidence.LIKELY,
            counterfactual=Counterfactual(tuned=True),
            num_workers=format_argument(workers),
            dataset=dataset.name if dataset else "",
        )


def _is_tried(source: Source, loader: LoaderCall) -> bool:
    """Does it serve a trial or a single evaluation?"""
    return is_trial_dataset(source, loader) or is_single_evaluation(source, loader)


def _is_dataset_unknown(loader: LoaderCall) -> bool:
    """Does the dataset come from elsewhere, but from no class outside the project?"""
    made = loader.get("dataset")
    theirs = made.name.rpartition(".")[2][:1].isupper()
    whole = loader.get("batch_size")
    batches = whole.is_known and whole.how != "absent" and whole.value is None
    return loader.dataset is None and not theirs and not batches


def _name_first_step(source: Source, loader: LoaderCall) -> str:
    """What has to change before there can be workers; empty: nothing."""
    on_gpu, handle = find_gpu_code(source, loader), _find_shared_handle(source, loader)
    if on_gpu:
        return f"Create tensors on the CPU in {on_gpu}, and move batches in the training loop"
    if _repeats_stream(source, loader):
        return "Yield only a share of the items in each worker (get_worker_info)"
    return f"Open {handle} in the worker, on first use" if handle else ""


def _repeats_stream(source: Source, loader: LoaderCall) -> bool:
    """Would each of its workers yield the whole dataset (PDR504)?"""
    classes = dataset_classes(loader)
    return any(event.name in classes for event in source.select_events(UnshardedIteration))


def _find_shared_handle(source: Source, loader: LoaderCall) -> str:
    """The handle of its dataset that workers must not share (PDR302); empty: none."""
    owners = dataset_classes(loader)
    return next(
        (
            event.details.attribute
            for event in source.select_events(HandleAttribute)
            if event.owner in owners and event.details.used
            if not (event.details.closed or event.details.renewed)
        ),
        "",
    )
