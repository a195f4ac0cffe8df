"""PDR914: does nothing stand out in what was measured?"""

from pipedoctor.bottleneck.observed_figures import is_without_loader
from pipedoctor.check import Findings, Lasts, Remedy, Severity, check
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import advise_setting, name_callable


@check("PDR914", "The loader was measured, and no stage dominates")
def bottleneck_unknown(pipeline: Pipeline, /) -> Findings:
    """
    Report that none of the known bottlenecks explains the measurements.

    ## Why it hurts

    It may not. But an unknown cause must not be reported as healthy, and a remedy must
    not be guessed.

    ## How it is judged

    `check --measure TARGET` ran the loader, and the measurements match no other
    bottleneck: often costs could not be read in its processes. `watch` says so of a job,
    too, where it saw no loader and the training process waits for a thread or process of
    its own, which may make the batches.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html
    """
    found = match_bottleneck(pipeline, "unknown")
    if found is None:
        return
    unseen = is_without_loader(found)
    remedies = () if unseen else (*advise_setting(pipeline), _examine_stages(pipeline))
    yield report_bottleneck(pipeline, found, *remedies, severity=Severity.NOTE)


def _examine_stages(pipeline: Pipeline) -> Remedy:
    return Remedy(
        title="Examine each stage of a batch",
        argv=("pipedoctor", "bench", "loader", name_callable(pipeline)),
        lasts=Lasts.PROCESS,
        advice=True,
    )
