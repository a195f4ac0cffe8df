"""PDR902: does the storage give no more bytes, however many ask?"""

from pipedoctor.bottleneck.observed_figures import waits_for_locks
from pipedoctor.check import Counterfactual, Findings, check, in_code
from pipedoctor.facts import DataSets, Memory, Pipeline
from pipedoctor_checks._shared.storage_capacity import StorageContext, all_fit_in_page_cache
from pipedoctor_checks.bottlenecks._bottleneck_finding import match_bottleneck, report_bottleneck
from pipedoctor_checks.bottlenecks._setting_advice import advise_setting

DOUBLE_BANDWIDTH = Counterfactual(storage=2.0)


@check("PDR902", "Storage bandwidth is exhausted", after=("PDR710",))
def bottleneck_storage_bandwidth(
    pipeline: Pipeline, datasets: DataSets | None, memory: Memory | None, /
) -> Findings:
    """
    See whether each batch waits longer when more workers read.

    ## Why it hurts

    When the storage is at full throughput, every further worker only takes a share of
    the same bytes, and makes hard disks seek more.

    ## How it is judged

    `check --measure TARGET` runs the loader: fetching is mostly waiting, the wait of a
    batch grows with the number of workers, CPUs are free, and the consumer still waits.
    The gain shown is for storage twice as fast. None is shown if all of `--data` fits
    in half of the available memory: then the page cache holds it after one epoch, and
    the measured epoch is the first. Of a job that is watched also where its workers wait
    for one lock: in a call of the kernel, or by sleeping in SQLite or a library of locks.

    ## Sources

    - https://arxiv.org/abs/2007.06775
    - https://pytorch.org/blog/efficient-pytorch-io-library-for-large-datasets-many-files-many-gpus/
    """
    found = match_bottleneck(pipeline, "storage-bandwidth")
    if found is None:
        return
    once = all_fit_in_page_cache(datasets, StorageContext(None, memory, None, None))
    kept = in_code(
        "Read it once with many threads before the job: it fits in memory, so only the first"
        " epoch waits (recipe warm-the-page-cache)"
    )
    copied = in_code(
        "Copy the data to a local disk or to memory before the job (recipe stage-to-local-disk)"
    )
    own = in_code(
        "Let no two workers wait for one lock: open files, databases and connections in"
        " each worker, to read only, and write what items leave behind after the epoch"
    )
    locked = pipeline.observed is not None and waits_for_locks(pipeline.observed.fetch)
    yield report_bottleneck(
        pipeline,
        found,
        own if locked else kept if once else copied,
        in_code("Store less: images at the size used, compressed arrays"),
        in_code("Pack samples into large files that are read sequentially"),
        *advise_setting(pipeline),
        counterfactual=None if once or locked else DOUBLE_BANDWIDTH,
    )
