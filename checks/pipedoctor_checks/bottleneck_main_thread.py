"""PDR909: does the training process itself compute for too long?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import cause, said


@check("PDR909", "The training process computes between batches", after=("PDR406",))
def bottleneck_main_thread(seen: Pipeline, /) -> Findings:
    """
    See whether the consumer's own CPU time is longer than a worker's for a batch.

    ## Why it hurts

    What the main process computes for a batch is done by one CPU while the device
    waits, whatever `num_workers` says.

    ## How it is judged

    `check --measure TARGET --step module:callable` runs the loader with the step: it
    takes longer than a worker takes for a batch, or data hardly ever is waited for,
    and more than half of the step is CPU time of the main process.

    ## Sources

    - https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
    """
    found = cause(seen, "main-thread")
    if found is None:
        return
    yield said(
        seen,
        found,
        in_code("Move it into the data set or collate_fn, where workers do it"),
        in_code("Or to the device: augment and normalise the batch there"),
    )
