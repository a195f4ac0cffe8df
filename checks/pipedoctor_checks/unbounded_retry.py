"""PDR216: may an item be tried again and again without end?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at


@check("PDR216", "A bad sample may be tried for ever")
def unbounded_retry(source: Source, /) -> Findings:
    """
    Look for `while True` around a sample that may fail.

    ## Why it hurts

    If nothing can be read, because a disk is gone or a transform is wrong, the worker
    spins for ever and the job hangs without an error.

    ## How it is judged

    `__getitem__` loops without a condition, and the only way out is an item that is
    good: nothing counts, raises or breaks. Where samples that fail are taken out, the
    end is far, but there is one: a note.

    ## Sources

    - https://github.com/facebookresearch/detectron2/blob/main/detectron2/data/common.py
    """
    for event in source.of("unbounded-retry"):
        shrinks = bool(event.details.get("shrinks"))
        yield at(
            [event.at],
            Severity.NOTE if shrinks else Severity.RISKS,
            f"{event.function} tries all other samples when none is good"
            if shrinks
            else f"{event.function} tries again for ever when no sample is good",
            in_code("Raise after a few attempts", "for attempt in range(10):"),
            confidence=Confidence.LIKELY,
        )
