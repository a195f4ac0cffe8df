"""PDR502: does a `worker_init_fn` seed with what never changes?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import Edits, every, replaced
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR502", "Workers draw the same numbers in every epoch")
def constant_worker_seed(source: Source, /) -> Findings:
    """
    Look for a `worker_init_fn` whose seeds do not change.

    ## Why it hurts

    Workers start again with each epoch: a seed of the worker's number alone makes all
    epochs alike, a constant or the time makes all workers alike (4 of 16 draws
    differed). Without the function torch seeds well.

    ## How it is judged

    The function seeds a generator, and uses neither `torch.initial_seed()` nor the
    seed in the worker's info, nor the worker's number together with the time. The
    first word of numpy's state, `get_state()[1][0]`, is no seed: in a worker it was
    2147483648 in every epoch, measured on torch 2.13. Where it
    is only for an evaluation that takes one pass, epochs cannot be alike. Under
    the main guard of a file that trains nothing it is a note: there the data set is
    only tried.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    - https://docs.pytorch.org/docs/stable/notes/randomness.html#dataloader
    """
    seeds = [e for e in source.of("worker-seed") if not e.details.get("fresh")]
    for group in by_class(seeds):
        first = group[0].details
        if first.get("by_worker") and first.get("by_time"):
            continue
        alike = "epochs" if first.get("by_worker") else "workers"
        if alike == "epochs" and _one_pass(source, group[0]):
            continue
        yield at(
            spots(group),
            Severity.NOTE if first.get("demo") else Severity.BREAKS,
            f"{group[0].function} seeds so that all {alike} draw the same numbers",
            in_code(
                "Begin with the seed that torch draws for each epoch and worker",
                "seed = torch.initial_seed() % 2**32",
                edits=every(map(_fresh, group)),
            ),
            confidence=Confidence.LIKELY,
            seeds=sorted({event.name for event in group}),
        )


def _one_pass(source: Source, event: Event) -> bool:
    """Is it only given to loaders that evaluate, and once, so there is one epoch?"""
    users = [
        x
        for x in source.loaders
        if x.at.path == event.at.path
        and x.get("worker_init_fn").name.rpartition(".")[2] == event.function
    ]
    return bool(users) and not any(x.repeats or x.role != "eval" for x in users)


def _fresh(event: Event) -> Edits:
    seed = f"{event.details.get('torch')}.initial_seed()"
    own = event.name.startswith("torch.")
    return replaced(event, {"seed": seed if own else f"{seed} % 2**32"})
