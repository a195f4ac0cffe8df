"""PDR507: does a data set keep a generator that items draw from?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import rewritten
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import without_workers


@check("PDR507", "All workers have the same generator")
def rng_object_in_dataset(source: Source, /) -> Findings:
    """
    Look for generators that `__init__` makes and items draw from.

    ## Why it hurts

    Each worker gets a copy in the same state: 4 of 16 draws were different with four
    workers, and all epochs were alike, with any torch.

    ## How it is judged

    A numpy Generator or RandomState, a `random.Random` or a `torch.Generator` is kept
    on `self`, used for items, and not made anew there. Samplers run in the main
    process and are right. Where it is asked only in place of samples that fail, it is a
    note.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
    - https://numpy.org/doc/stable/reference/random/parallel.html
    """
    for event in source.of("keeps-generator"):
        details = event.details
        if not details.get("used") or details.get("renewed"):
            continue
        spare = bool(details.get("spare"))
        mine = [
            x for x in source.loaders if x.dataset and x.dataset.name == event.owner
        ]
        if mine and all(map(without_workers, mine)):
            continue
        yield at(
            [event.at],
            Severity.NOTE if spare else Severity.BREAKS,
            f"{details['attribute']} of {event.owner.rpartition('.')[2]} is the same"
            f" generator in every worker{', for samples that fail' if spare else ''}",
            in_code(
                "Make it in the worker, from the seed that torch draws",
                "if self._rng is None:\n"
                "    self._rng = np.random.default_rng(torch.initial_seed())",
                edits=rewritten(event) if _alone(source, event) else (),
                unsafe="each worker draws other numbers, from the seed of the run",
            ),
            confidence=Confidence.LIKELY,
            made_by=event.name,
        )


def _alone(source: Source, event: Event) -> bool:
    """Is it the only one of its class? Two of one seed would draw the same."""
    return [e.owner for e in source.of("keeps-generator")].count(event.owner) == 1
