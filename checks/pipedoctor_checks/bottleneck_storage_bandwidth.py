"""PDR902: does the storage give no more bytes, however many ask?"""

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import DataSets, Memory, Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import cause, faster_setting, said
from pipedoctor_checks._staging import Places, all_in_page_cache

TWICE = Counterfactual(storage=2.0)


@check("PDR902", "The storage gives no more data", after=("PDR710",))
def bottleneck_storage_bandwidth(
    seen: Pipeline, datasets: DataSets | None, memory: Memory | None, /
) -> Findings:
    """
    See whether each batch waits longer when more workers ask.

    ## Why it hurts

    When the storage delivers all that it can, every further worker only divides the
    same bytes among more, and makes hard disks seek between them.

    ## How it is judged

    `check --measure TARGET` runs the loader: fetching is mostly waiting, the wait of a
    batch grows with the workers, processors are free, and the consumer still waits.
    The gain that is shown is that of storage twice as fast. None is shown where all of
    `--data` fits in half of the memory left: then the page cache has it after one
    epoch, and what was measured is the first.

    ## Sources

    - https://arxiv.org/abs/2007.06775
    - https://pytorch.org/blog/efficient-pytorch-io-library-for-large-datasets-many-files-many-gpus/
    """
    found = cause(seen, "storage-bandwidth")
    if found is None:
        return
    once = all_in_page_cache(datasets, Places(None, memory, None, None))
    kept = in_code(
        "It fits in memory, so only the first epoch waits: read it once with many"
        " threads before the job (recipe warm-the-page-cache)"
    )
    copied = in_code(
        "Copy the data to a local disk or to memory before the job"
        " (recipe stage-to-local-disk)"
    )
    yield said(
        seen,
        found,
        kept if once else copied,
        in_code("Store less: images of the size that is used, compressed arrays"),
        in_code("Pack samples into large files that are read in sequence"),
        *faster_setting(seen),
        counterfactual=None if once else TWICE,
    )
