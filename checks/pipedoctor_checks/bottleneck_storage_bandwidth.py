"""PDR902: does the storage give no more bytes, however many ask?"""

from pipedoctor.check import Counterfactual, Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import cause, faster_setting, said

TWICE = Counterfactual(storage=2.0)


@check("PDR902", "The storage gives no more data", after=("PDR710",))
def bottleneck_storage_bandwidth(seen: Pipeline, /) -> Findings:
    """
    See whether each batch waits longer when more workers ask.

    ## Why it hurts

    When the storage delivers all that it can, every further worker only divides the
    same bytes among more, and makes hard disks seek between them.

    ## How it is judged

    `check --measure TARGET` runs the loader: fetching is mostly waiting, the wait of a
    batch grows with the workers, processors are free, and the consumer still waits.
    The gain that is shown is that of storage twice as fast.

    ## Sources

    - https://arxiv.org/abs/2007.06775
    - https://pytorch.org/blog/efficient-pytorch-io-library-for-large-datasets-many-files-many-gpus/
    """
    found = cause(seen, "storage-bandwidth")
    if found is None:
        return
    yield said(
        seen,
        found,
        in_code("Copy the data to a local disk or to memory before the job"),
        in_code("Store less: images of the size that is used, compressed arrays"),
        in_code("Pack samples into large files that are read in sequence"),
        *faster_setting(seen),
        counterfactual=TWICE,
    )
