"""PDR105: is `prefetch_factor` given to a loader without workers?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.edits import Edits, arguments, plain, without
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, sure, told, with_workers, without_workers


@check("PDR105", "A prefetch factor, but no workers")
def prefetch_with_zero_workers(source: Source, /) -> Findings:
    """
    Look for `prefetch_factor` in a loader that has no workers.

    ## Why it hurts

    The constructor raises ValueError; a factor of 0 with workers raises
    AssertionError when the loop begins.

    ## How it is judged

    Both values are known: written there, followed through variables and dictionaries,
    or the defaults of options. Where a default decides, it is likely; a value that is
    computed from the number of workers is left alone.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for loader in source.loaders:
        value = loader.get("prefetch_factor")
        workers = loader.get("num_workers")
        if (
            value.known
            and value.value is not None
            and value.how != "absent"
            and without_workers(loader)
        ):
            yield at(
                [value.at or loader.at],
                Severity.BREAKS,
                f"{called(loader)} prefetches, but has no workers: ValueError",
                in_code(
                    "Let it depend on the workers",
                    "prefetch_factor=2 if num_workers > 0 else None",
                    edits=_fitted(loader) if value.how == "literal" else (),
                ),
                confidence=sure(value, workers),
                prefetch_factor=told(value),
                num_workers=told(workers),
            )
        elif value.value == 0 and with_workers(loader):
            yield at(
                [value.at or loader.at],
                Severity.BREAKS,
                f"{called(loader)} has workers that may prefetch nothing",
                in_code(
                    "Let them prefetch",
                    "prefetch_factor=2",
                    edits=arguments(loader, prefetch_factor="2")
                    if value.how == "literal"
                    else (),
                ),
                prefetch_factor=0,
            )


def _fitted(loader: LoaderCall) -> Edits:
    """Only where there are workers; certainly none: leave it out."""
    value, workers = loader.get("prefetch_factor"), loader.get("num_workers")
    name = "" if workers.how == "literal" else plain(loader, "num_workers")
    if not name:
        return without(loader, "prefetch_factor", "None")
    wanted = f"{value.value} if {name} > 0 else None"
    return arguments(loader, prefetch_factor=wanted)
