"""PDR504: does an iterable data set yield the same in each worker?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at
from pipedoctor_checks._loader import told, with_workers


@check("PDR504", "Every worker yields all the data")
def iterable_not_sharded(source: Source, /) -> Findings:
    """
    Look for iterable data sets that never ask which worker they are in.

    ## Why it hurts

    Each worker has a copy and yields all of it: 16 items became 64 with four workers.

    ## How it is judged

    The class derives from IterableDataset, a loader with more than one worker loads
    it, and nothing in it speaks of workers, ranks or shards. What wraps another data
    set, draws at random, or takes from a queue or a socket (which gives each item
    once) is left alone.

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """
    loaded = {
        x.dataset.name: x
        for x in source.loaders
        if x.dataset and with_workers(x) and x.get("num_workers").value != 1
    }
    for event in source.of("unsharded"):
        loader = loaded.get(event.name)
        if loader is not None:
            yield at(
                [event.at],
                Severity.BREAKS,
                f"{event.function} yields everything in each worker",
                in_code(
                    "Let each worker yield its share",
                    "info = torch.utils.data.get_worker_info()",
                ),
                confidence=Confidence.LIKELY,
                num_workers=told(loader.get("num_workers")),
            )
