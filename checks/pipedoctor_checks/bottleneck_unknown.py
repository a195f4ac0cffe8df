"""PDR914: does nothing stand out in what was measured?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor_checks._bottleneck import cause, faster_setting, said


@check("PDR914", "The loader was measured, and no step stands out")
def bottleneck_unknown(seen: Pipeline, /) -> Findings:
    """
    Say so when none of the known bottlenecks explains what was measured.

    ## Why it hurts

    It may not. A cause that nobody knows must not be called healthy, and no remedy
    must be guessed.

    ## How it is judged

    `check --measure TARGET` ran the loader, and the figures of no other bottleneck are
    there: often costs could not be read in its processes.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    """
    found = cause(seen, "unknown")
    if found is None:
        return
    yield said(
        seen,
        found,
        *faster_setting(seen),
        Remedy(
            title="Look at each stage of a batch",
            argv=("pipedoctor", "bench", "loader", seen.target),
            lasts=Lasts.PROCESS,
            advice=True,
        ),
        severity=Severity.NOTE,
    )
