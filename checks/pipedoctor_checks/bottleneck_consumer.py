"""PDR913: does the consumer, not the loader, set the pace?"""

from pipedoctor.check import Findings, Severity, check
from pipedoctor.facts import Pipeline
from pipedoctor_checks._bottleneck import cause, said


@check("PDR913", "The consumer sets the pace, as it should")
def bottleneck_consumer(seen: Pipeline, /) -> Findings:
    """
    See whether the step takes longer than a batch takes to be made.

    ## Why it hurts

    It does not: data is there before it is needed. A faster loader would change
    nothing, so this is a note, which names where not to look.

    ## How it is judged

    `check --measure TARGET --step-seconds S` runs the loader with a consumer: a step
    takes longer than one worker takes for a batch, or less than 15 % of it is waiting
    for data.

    ## Sources

    - https://www.tensorflow.org/guide/data_performance_analysis
    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    found = cause(seen, "consumer")
    if found is not None:
        yield said(seen, found, severity=Severity.NOTE)
