"""PDR602: is torch.utils.bottleneck imported?"""

import shlex

from pipedoctor.check import Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, replace_pieces
from pipedoctor.facts import Source, TorchBuild
from pipedoctor.facts.code_events.program import BottleneckImport
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)

_PROFILED_STEPS = """\
from torch.profiler import profile

with profile() as prof:
    ...  # some steps of the training
print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=20))"""


@check("PDR602", "A module that was removed from torch", fix="code", merges=True)
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
    import torch
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
            in_code(
                "Import torch alone",
                edits=combine_edits(replace_pieces(event, {"module": ""}) for event in group),
            ),
            in_code(
                "Profile the program from the command line",
                f"python -m cProfile -s tottime {shlex.quote(group[0].at.path)}",
            ),
            in_code("Or time the operators of some steps", _PROFILED_STEPS),
            names=sorted({event.name for event in group}),
        )
