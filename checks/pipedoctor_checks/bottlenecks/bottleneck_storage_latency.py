"""PDR901: do workers mostly wait for each answer of the storage?"""

from pipedoctor.check import Findings, check, in_code
from pipedoctor.facts import Pipeline
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import TUNED_SETTING, advise_setting


@check("PDR901", "Workers wait for slow storage responses", after=("PDR710",))
def bottleneck_storage_latency(pipeline: Pipeline, /) -> Findings:
    """
    See whether fetching is mostly waiting, and concurrent waits cost nothing extra.

    ## Why it hurts

    A worker that reads small files one after the other waits for each of them. Disks
    and networks answer many requests in the time of one, but only if requests are
    concurrent: here more workers than CPUs are right, and one or two per CPU are far
    too few.

    ## How it is judged

    `check --measure TARGET` runs the loader: for half of the fetch time or more nothing
    is computed, and a batch waits no longer when more workers read at once.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://arxiv.org/abs/2007.06775
    """
    found = match_bottleneck(pipeline, "storage-latency")
    if found is None:
        return
    yield report_bottleneck(
        pipeline,
        found,
        *advise_setting(pipeline),
        in_code(
            "Fetch several samples at once: __getitems__ with a thread pool",
            "def __getitems__(self, indices):\n"
            "    with ThreadPoolExecutor(8) as pool:\n"
            "        return list(pool.map(self.__getitem__, indices))",
        ),
        in_code(
            "Copy the data to a local disk before the job"
            " (recipe stage-to-local-disk), or pack small files"
        ),
        counterfactual=TUNED_SETTING,
    )
