"""PDR107: is a loader built inside the loop over epochs?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import Edits, rewrite_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.program import LoaderReconstruction
from pipedoctor.facts.source import LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    format_argument,
    has_no_workers,
    loader_name,
)


@check(
    "PDR107",
    "DataLoader is created again in every epoch",
    fix="code",
    subject="loader",
    merges=True,
)
def loader_in_epoch_loop(source: Source, /) -> Findings:
    """
    Look for loaders that are created the same way in each iteration of a loop.

    ## Why it hurts

    Creating a loader is cheap, but its workers start again each time, and nothing is
    prefetched between epochs.

    ## How it is judged

    The loop runs over a range, no argument of the loader changes in the loop, and the
    loader may have workers. A loader created only under a condition on the epoch is a
    schedule, and is not reported.

    ## Bad example

    ```python
    def train(dataset, model):
        for epoch in range(90):
            loader = DataLoader(dataset, shuffle=True, num_workers=4)
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

    - https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    """
    for loader in source.loaders:
        if not loader.rebuilt or has_no_workers(loader) or loader.testing:
            continue
        called = loader.rebuilt.startswith("call of ")
        yield make_code_finding(
            loader.places,
            Severity.NOTE if called else Severity.SLOWS,
            f"{loader_name(loader)} is created again in each"
            f" {loader.rebuilt if called else f'iteration of {loader.rebuilt}'}",
            in_code(
                "Create it once, before the loop",
                edits=_move_before_loop(source, loader),
                unsafe="changes made by the loop or by a dataset do not reach workers that are"
                " already running",
            ),
            confidence=Confidence.LIKELY,
            num_workers=format_argument(loader.get("num_workers")),
        )


def _move_before_loop(source: Source, loader: LoaderCall) -> Edits:
    """Move it to the line before the loop, if it is in the loop itself."""
    found = (event for event in source.select_events(LoaderReconstruction) if event.at == loader.at)
    return next(map(rewrite_pieces, found), ())
