"""PDR602: is torch.utils.bottleneck imported?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.remedy import in_code
from pipedoctor.versions import reaches
from pipedoctor_checks._code import at, by_class, spots


@check("PDR602", "A module that torch has removed")
def bottleneck(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for `torch.utils.bottleneck`.

    ## Why it hurts

    It was removed in torch 2.10: ModuleNotFoundError.

    ## How it is judged

    The module is imported. Where the installed torch is older it is a note.

    ## Sources

    - https://docs.pytorch.org/docs/stable/profiler.html
    """
    gone = torch is not None and reaches(torch.version, "2.10")
    severity = Severity.BREAKS if gone else Severity.NOTE
    for group in by_class(source.of("bottleneck")):
        yield at(
            spots(group),
            severity,
            "torch.utils.bottleneck is gone from torch 2.10 on",
            in_code("Use the profiler", "torch.profiler.profile()"),
            names=sorted({event.name for event in group}),
        )
