"""PDR212: does `__len__` compute or read?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR212", "The length of a data set is work")
def heavy_len(source: Source, /) -> Findings:
    """
    Look for loops and reading in `__len__`.

    ## Why it hurts

    torch asks for the length several times an epoch (four times, measured on 2.13),
    and again for each `len(loader)`.

    ## How it is judged

    `__len__` of a data set has a loop or a comprehension, or calls something that
    reads. What is computed once under a condition is left alone.

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    """
    for event in source.of("heavy-len"):
        yield at(
            [event.at],
            Severity.NOTE,
            f"{event.function} computes its answer anew each time",
            in_code("Compute it once, in __init__"),
            confidence=Confidence.LIKELY,
            what=event.name,
        )
