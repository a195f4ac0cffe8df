"""PDR507: does a dataset keep a generator that items draw from?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import rewrite_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import GeneratorAttribute
from pipedoctor.facts.source import Event, LoaderCall
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import (
    find_loaders_of,
    has_only_optional_workers,
    is_without_workers,
)


@check("PDR507", "All workers share the same generator state", fix="code", subject="item")
def rng_object_in_dataset(source: Source, /) -> Findings:
    """
    Look for generators that are created in `__init__` and used by items.

    ## Why it hurts

    Each worker gets a copy in the same state: 4 of 16 draws differed with four workers,
    and all epochs were identical, with any torch.

    ## How it is judged

    A numpy Generator or RandomState, a `random.Random` or a `torch.Generator` is stored
    on `self`, used for items, and not created again there. Samplers run in the main
    process and are not affected. If it is used only to replace samples that fail, it is
    a note.

    ## Bad example

    ```python
    class Rows(Dataset):
        def __init__(self, rows):
            self.rows = rows
            self.rng = np.random.default_rng(0)

        def __getitem__(self, index):
            return self.rows[index] + self.rng.normal()
    ```

    ## Good example

    ```python
    class Rows(Dataset):
        def __init__(self, rows):
            self.rows = rows

        def __getitem__(self, index):
            rng = np.random.default_rng((torch.initial_seed(), index))
            return self.rows[index] + rng.normal()
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    - https://numpy.org/doc/stable/reference/random/parallel.html
    """
    for event in source.select_events(GeneratorAttribute):
        details = event.details
        if not details.used or details.renewed:
            continue
        spare = details.spare
        mine = find_loaders_of(source, event.owner)
        if mine and all(map(is_without_workers, mine)):
            continue
        yield make_code_finding(
            [event.at],
            _choose_severity(mine, is_spare=spare),
            f"{details.attribute} of {event.owner.rpartition('.')[2]} is the same"
            f" generator in every worker{', for samples that fail' if spare else ''}",
            in_code(
                "Create it in the worker, from the seed that torch draws",
                "if self._rng is None:\n"
                "    self._rng = np.random.default_rng(torch.initial_seed())",
                edits=rewrite_pieces(event) if _is_only_generator(source, event) else (),
                unsafe="each worker draws different numbers, from the seed of the run",
            ),
            confidence=Confidence.LIKELY,
            made_by=event.name,
        )


def _choose_severity(loaders: list[LoaderCall], *, is_spare: bool) -> Severity:
    """By what is drawn, and by the workers of the loaders that are given this dataset."""
    if is_spare:
        return Severity.NOTE
    return Severity.RISKS if has_only_optional_workers(loaders) else Severity.BREAKS


def _is_only_generator(source: Source, event: Event[GeneratorAttribute]) -> bool:
    """Is it the only one of its class? Two of one seed would draw the same."""
    return [e.owner for e in source.select_events(GeneratorAttribute)].count(event.owner) == 1
