"""PDR107: is a loader built inside the loop over epochs?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import Edits, rewritten
from pipedoctor.facts import Source
from pipedoctor.facts.source import LoaderCall
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import called, told, without_workers


@check("PDR107", "A loader is made anew in every epoch")
def loader_in_epoch_loop(source: Source, /) -> Findings:
    """
    Look for loaders that are made in each turn of a loop, always in the same way.

    ## Why it hurts

    Making a loader is cheap, but its workers start again each time, and nothing is
    prefetched between epochs.

    ## How it is judged

    The loop is over a range; nothing that the loader is given changes in it; there
    may be workers. A loader made now and then under a condition on the epoch is a
    schedule, and left alone.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading
    """
    for loader in source.loaders:
        if not loader.rebuilt or without_workers(loader) or loader.testing:
            continue
        yield at(
            [loader.at],
            Severity.SLOWS,
            f"{called(loader)} is made anew in each turn of {loader.rebuilt}",
            in_code(
                "Make it once, before the loop",
                edits=_moved(source, loader),
                unsafe="what the loop, or a data set, changes does not reach workers"
                " that live on",
            ),
            confidence=Confidence.LIKELY,
            num_workers=told(loader.get("num_workers")),
        )


def _moved(source: Source, loader: LoaderCall) -> Edits:
    """To the line before the loop, if it stands in the loop itself."""
    found = (event for event in source.of("rebuilt") if event.at == loader.at)
    return next(map(rewritten, found), ())
