"""PDR602: is torch.utils.bottleneck imported?"""

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.code_events.program import BottleneckImport
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR602", "A module that was removed from torch")
def bottleneck(source: Source, torch: TorchBuild | None, /) -> Findings:
    """
    Look for `torch.utils.bottleneck`.

    ## Why it hurts

    It was removed in torch 2.10: ModuleNotFoundError.

    ## How it is judged

    The module is imported. If the installed torch is older, it is a note.

    ## Bad example

    ```python
    import torch.utils.bottleneck
    ```

    ## Good example

    ```python
    import torch.profiler
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/profiler.html
    """
    gone = torch is not None and is_at_least(torch.version, "2.10")
    severity = Severity.BREAKS if gone else Severity.NOTE
    for group in group_by_class(source.select_events(BottleneckImport)):
        yield make_code_finding(
            list_spots(group),
            severity,
            "torch.utils.bottleneck was removed in torch 2.10",
            in_code("Use the profiler", "with torch.profiler.profile() as prof:"),
            names=sorted({event.name for event in group}),
        )
