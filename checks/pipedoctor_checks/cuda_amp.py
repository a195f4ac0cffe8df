"""PDR601: are the old names of mixed precision used?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR601", "Old names of mixed precision")
def cuda_amp(source: Source, /) -> Findings:
    """
    Look for `torch.cuda.amp`.

    ## Why it hurts

    From torch 2.4 on it warns in each run (FutureWarning), and it may be gone in a
    later one.

    ## How it is judged

    The old name is called. Below 2.4 the new one may not be there for all devices:
    the note says from which version on.

    ## Sources

    - https://docs.pytorch.org/docs/stable/amp.html
    """
    for group in by_class(source.of("cuda-amp")):
        yield at(
            spots(group),
            Severity.NOTE,
            f"{group[0].name} is deprecated from torch 2.4 on",
            in_code("Use the name for all devices", "torch.amp.autocast('cuda')"),
            names=sorted({event.name for event in group}),
        )
