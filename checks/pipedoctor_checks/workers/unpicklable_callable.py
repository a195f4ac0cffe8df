"""PDR305: is a lambda or a local function given to workers?"""

from pipedoctor.check import Confidence, Findings, check, in_code
from pipedoctor.check.edits import Edits, combine_edits, rewrite_pieces
from pipedoctor.facts import Interpreter, Site, Source
from pipedoctor.facts.code_events.dataset import LambdaAttribute
from pipedoctor.facts.code_events.program import WorkerFunction
from pipedoctor.facts.source import MAIN_GUARD, Spot
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.loader_calls import (
    dataset_classes,
    has_no_workers,
    loader_name,
    may_have_workers,
)
from pipedoctor_checks._shared.merge_per_file import merge_per_file
from pipedoctor_checks._shared.start_method import judge_unpicklable


@check(
    "PDR305", "A function cannot be pickled for a worker", fix="code", subject="loader", merges=True
)
def unpicklable_callable(
    source: Source, interpreter: Interpreter | None, site: Site | None, /
) -> Findings:
    """
    Look for lambdas and local functions that workers need.

    ## Why it hurts

    With spawn and forkserver everything that a worker needs is pickled, and a lambda
    cannot be: AttributeError, Can't pickle local object. Forkserver is the default on
    Linux from Python 3.14 on.

    ## How it is judged

    `collate_fn` or `worker_init_fn` is a lambda, or a function defined in a function or under
    the main guard; or a dataset stores a lambda on `self`, or is given one that it stores or
    that a transform calls. Loaders without workers, and lambdas that are
    not stored, are not reported. With fork it is a note.

    ## Bad example

    ```python
    loader = DataLoader(dataset, num_workers=4, collate_fn=lambda rows: torch.stack(rows))
    ```

    ## Good example

    ```python
    loader = DataLoader(dataset, num_workers=4, collate_fn=torch.stack)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/issues/138957
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    yield from merge_per_file(source, _judge_arguments(source, interpreter, site))
    loaded = [(x, one) for x in source.loaders for one in dataset_classes(x)]
    workless = {one for x, one in loaded if has_no_workers(x)}
    needed = {one for x, one in loaded if may_have_workers(x)}
    for group in group_by_class(source.select_events(LambdaAttribute)):
        owner = group[0].owner
        severity, why = judge_unpicklable(source, group[0].at.path, interpreter, site)
        idle = all(map(has_no_workers, source.loaders)) and bool(source.loaders)
        if idle or owner in workless - needed or all(e.details.renewed for e in group):
            continue
        yield make_code_finding(
            list_spots(group),
            severity,
            f"{owner.rpartition('.')[2]} stores a lambda in {group[0].name}; {why}",
            in_code(
                "Define it at the top level of a module",
                edits=combine_edits(map(rewrite_pieces, group)),
            ),
            confidence=Confidence.LIKELY,
            kept_in=group[0].name,
        )


_UNPICKLABLE = frozenset(("lambda", "local function", f"function {MAIN_GUARD}"))
"""By their names elsewhere: of one under the main guard in a process that is spawned."""


def _move_to_module(source: Source, place: Spot | None) -> Edits:
    """Move it to the top level of the module, if it uses no local names."""
    found = (event for event in source.select_events(WorkerFunction) if event.at == place)
    return next(map(rewrite_pieces, found), ())


def _list_beside(source: Source, name: str, place: Spot | None) -> list[Spot]:
    """The other lambdas of the same transforms."""
    every = [event for event in source.select_events(WorkerFunction) if event.name == name]
    mine = next((event for event in every if event.at == place), None)
    beside = (
        one.at
        for one in every
        if mine is not None and one.at != mine.at
        if (one.at.path, one.function) == (mine.at.path, mine.function)
    )
    return list(dict.fromkeys(beside))


def _judge_arguments(
    source: Source, interpreter: Interpreter | None, site: Site | None
) -> Findings:
    """Judge the arguments of the loaders."""
    for loader in source.loaders:
        severity, why = judge_unpicklable(source, loader.at.path, interpreter, site, [loader])
        for name in ("collate_fn", "worker_init_fn", "transform"):
            given = loader.get(name)
            kind = f"{given.form} {given.why}".strip() if given.why == MAIN_GUARD else given.form
            if kind in _UNPICKLABLE and may_have_workers(loader):
                yield make_code_finding(
                    [given.at or loader.at, *_list_beside(source, name, given.at)],
                    severity,
                    f"{loader_name(loader)} gets a {kind} as {name}; {why}",
                    in_code(
                        "Define it at the top level of a module",
                        edits=_move_to_module(source, given.at),
                    ),
                    confidence=Confidence.LIKELY,
                    given=given.text,
                )
