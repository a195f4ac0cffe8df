"""PDR913: does the consumer, not the loader, set the pace?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import (
    match_bottleneck,
    report_bottleneck,
)


@check("PDR913", "The training step, not the loader, limits throughput (as it should)")
def bottleneck_consumer(pipeline: Pipeline, /) -> Findings:
    """
    See whether the training step takes longer than producing a batch.

    ## Why it hurts

    It does not hurt: data is ready before it is needed. A faster loader would change
    nothing, so this is a note that rules the loader out.

    ## How it is judged

    `check --measure TARGET --step-seconds S` runs the loader with a consumer: a step
    takes longer than one worker needs for a batch, or less than 15 % of it is spent
    waiting for data.

    ## Sources

    - https://www.tensorflow.org/guide/data_performance_analysis
    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    found = match_bottleneck(pipeline, "consumer")
    if found is not None:
        yield report_bottleneck(pipeline, found, severity=Severity.NOTE)
