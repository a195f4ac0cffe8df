"""PDR502: does a `worker_init_fn` seed with what never changes?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, combine_edits, replace_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import RandomDraw
from pipedoctor.facts.code_events.seeds import WorkerSeed
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR502", "Workers draw the same numbers in every epoch", fix="code", subject="loader")
def constant_worker_seed(source: Source, /) -> Findings:
    """
    Look for a `worker_init_fn` with constant seeds.

    ## Why it hurts

    Workers start again in each epoch: a seed from the worker's number alone makes all
    epochs identical, a constant or the time makes all workers identical (4 of 16 draws
    differed). Without the function torch seeds correctly.

    ## How it is judged

    The function seeds a generator, and uses neither `torch.initial_seed()` nor the seed
    in the worker's info, nor the worker's number together with the time. The first word
    of numpy's state, `get_state()[1][0]`, is not a seed: in a worker it was 2147483648
    in every epoch, measured on torch 2.13. If it is used only for an evaluation in a
    single pass, there are no epochs to be identical. If the items of its loaders draw,
    but only from another generator than the one that is seeded, nothing repeats. Under
    the main guard of a file that trains nothing it is a note, because there the dataset
    is only tried out.

    ## Bad example

    ```python
    def seed(worker_id):
        np.random.seed(worker_id)

    loader = DataLoader(dataset, batch_size=64, num_workers=4, worker_init_fn=seed)
    ```

    ## Good example

    ```python
    def seed(worker_id):
        np.random.seed(torch.initial_seed() % 2**32)

    loader = DataLoader(dataset, batch_size=64, num_workers=4, worker_init_fn=seed)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    - https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader
    """
    seeds = [e for e in source.select_events(WorkerSeed) if not e.details.fresh]
    for group in group_by_class(seeds):
        first = group[0].details
        if first.by_worker and first.by_time:
            continue
        alike = "epochs" if first.by_worker else "workers"
        if alike == "epochs" and _has_single_epoch(source, group[0]):
            continue
        if all(_is_never_drawn_from(source, event) for event in group):
            continue
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if first.demo else Severity.BREAKS,
            f"{group[0].function} seeds so that all {alike} draw the same numbers",
            in_code(
                "Start from the seed that torch draws for each epoch and worker",
                "seed = torch.initial_seed() % 2**32",
                edits=combine_edits(map(_use_initial_seed, group)),
            ),
            confidence=Confidence.LIKELY,
            seeds=sorted({event.name for event in group}),
        )


def _has_single_epoch(source: Source, event: Event[WorkerSeed]) -> bool:
    """Is it only used by loaders that evaluate once, so that there is one epoch?"""
    users = _list_users(source, event)
    return bool(users) and not any(x.repeats or x.role != "eval" for x in users)


def _is_never_drawn_from(source: Source, event: Event[WorkerSeed]) -> bool:
    """Do the items of its loaders draw, and none of them from the generator that it seeds?"""
    module = event.name.rpartition(".")[0]
    if module not in {"random", "numpy.random"}:
        return False  # who draws from torch is not recorded
    draws: dict[str, set[str]] = {}
    for draw in source.select_item_events(RandomDraw):
        draws.setdefault(draw.dataset, set()).add(draw.name.rpartition(".")[0])
    users = _list_users(source, event)
    names = [x.dataset.name.rpartition(".")[2] if x.dataset else "" for x in users]
    return bool(users) and all(name in draws and module not in draws[name] for name in names)


def _list_users(source: Source, event: Event[WorkerSeed]) -> list[LoaderCall]:
    """The loaders whose workers it starts: a function, or one within the loader's own."""
    return [
        x
        for x in source.loaders
        if x.at.path == event.at.path and event.function in _name_starters(x)
    ]


def _name_starters(loader: LoaderCall) -> tuple[str, ...]:
    given = loader.get("worker_init_fn")
    within = loader.function if given.form in {"local function", "lambda"} else ""
    return given.name.rpartition(".")[2], within


def _use_initial_seed(event: Event[WorkerSeed]) -> Edits:
    seed = f"{event.details.torch}.initial_seed()"
    own = event.name.startswith("torch.")
    return replace_pieces(event, {"seed": seed if own else f"{seed} % 2**32"})
