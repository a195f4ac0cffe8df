"""PDR901: do workers mostly wait for each answer of the storage?"""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Pipeline
from pipedoctor.remedy import in_code
from pipedoctor_checks._bottleneck import TUNED, cause, faster_setting, said


@check("PDR901", "Workers wait for storage that answers late", after=("PDR710",))
def bottleneck_storage_latency(seen: Pipeline, /) -> Findings:
    """
    See whether fetching is mostly waiting, and waiting side by side is free.

    ## Why it hurts

    A worker that asks for one small file after the other waits for each of them. Disks
    and networks answer many requests in the time of one, but only if they are asked:
    more workers than CPUs are right here, and one or two per CPU far too few.

    ## How it is judged

    `check --measure TARGET` runs the loader: in half of the time of fetching, or more,
    nothing is computed, and a batch waits no longer when more workers ask at once.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://arxiv.org/abs/2007.06775
    """
    found = cause(seen, "storage-latency")
    if found is None:
        return
    yield said(
        seen,
        found,
        *faster_setting(seen),
        in_code(
            "Ask for several samples at once: __getitems__ with a pool of threads",
            "def __getitems__(self, indices):\n"
            "    with ThreadPoolExecutor(8) as pool:\n"
            "        return list(pool.map(self.__getitem__, indices))",
        ),
        in_code(
            "Copy the data to a local disk before the job"
            " (recipe stage-to-local-disk), or pack small files"
        ),
        counterfactual=TUNED,
    )
