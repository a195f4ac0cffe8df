"""PDR909: does the training process itself compute for too long?"""

from pipedoctor.check import Findings, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import (
    match_bottleneck,
    report_bottleneck,
)


@check("PDR909", "The training process computes between batches", after=("PDR406",))
def bottleneck_main_thread(pipeline: Pipeline, /) -> Findings:
    """
    See whether the consumer's own CPU time is longer than a worker's for a batch.

    ## Why it hurts

    One CPU does all that the main process computes for a batch while the device waits,
    regardless of `num_workers`.

    ## How it is judged

    `check --measure TARGET --step module:callable` runs the loader with the step: it
    takes longer than a worker needs for a batch, or there is hardly any waiting for
    data, and more than half of the step is CPU time of the main process. Of a job that is
    watched also where data is late because its sampler, which runs in the main process,
    takes that long to choose the next batch, or because a thread of the main process takes
    that long to convert batches that the loader has delivered.

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    found = match_bottleneck(pipeline, "main-thread")
    if found is None:
        return
    yield report_bottleneck(
        pipeline,
        found,
        in_code("Move it into the dataset or collate_fn, where workers do it"),
        in_code("Alternatively, augment and normalize the batch on the device"),
    )
