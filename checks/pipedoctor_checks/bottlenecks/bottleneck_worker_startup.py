"""PDR912: does starting the workers take a large part of each epoch?"""

from pipedoctor.check import Counterfactual, Findings, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import TUNED_SETTING, advise_setting

PERSISTENT_WORKERS = Counterfactual(persistent=True)


@check("PDR912", "Starting workers takes a large part of an epoch", after=("PDR106",))
def bottleneck_worker_startup(pipeline: Pipeline, /) -> Findings:
    """
    Compare the delay of the first batch with the time of an epoch.

    ## Why it hurts

    Without `persistent_workers` each epoch starts all workers again and waits for their
    first batch: 0.2 s by fork, 1.2 s and more by spawn and forkserver, which is the
    default from Python 3.14 on. Short epochs consist mostly of that.

    ## How it is judged

    `check --measure TARGET` runs the loader with the job's start method: the first
    batch comes later than others by more than 30 % of an epoch, and workers are not
    persistent.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    - https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods
    """
    found = match_bottleneck(pipeline, "worker-startup")
    if found is None:
        return
    yield report_bottleneck(
        pipeline,
        found,
        *(() if pipeline.start.num_workers else advise_setting(pipeline)),
        in_code("Keep the workers between epochs", "DataLoader(..., persistent_workers=True)"),
        in_code("Open files and import libraries in workers only on first use"),
        counterfactual=PERSISTENT_WORKERS if pipeline.start.num_workers else TUNED_SETTING,
    )
