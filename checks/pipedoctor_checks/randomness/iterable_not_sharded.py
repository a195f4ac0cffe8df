"""PDR504: does an iterable dataset yield the same in each worker?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import UnshardedIteration
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import dataset_classes, format_argument, has_workers


@check("PDR504", "Every worker yields the whole dataset", subject="item")
def iterable_not_sharded(source: Source, /) -> Findings:
    """
    Look for iterable datasets that never query the worker they run in.

    ## Why it hurts

    Each worker has a copy and yields all of it: 16 items became 64 with four workers.

    ## How it is judged

    The class derives from IterableDataset, a loader with more than one worker loads it,
    and nothing in it refers to workers, ranks or shards. Not reported: a dataset that
    wraps another dataset, draws at random, or takes items from a queue or a socket
    (which returns each item once).

    ## Bad example

    ```python
    class Numbers(IterableDataset):
        def __iter__(self):
            yield from range(1000)

    loader = DataLoader(Numbers(), batch_size=64, num_workers=4)
    ```

    ## Good example

    ```python
    class Numbers(IterableDataset):
        def __iter__(self):
            worker = torch.utils.data.get_worker_info()
            yield from range(worker.id, 1000, worker.num_workers)

    loader = DataLoader(Numbers(), batch_size=64, num_workers=4)
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """
    loaded = {
        name: x
        for x in source.loaders
        for name in dataset_classes(x)
        if has_workers(x) and x.get("num_workers").value != 1
    }
    for event in source.select_events(UnshardedIteration):
        loader = loaded.get(event.name)
        if loader is not None:
            yield make_code_finding(
                [event.at],
                Severity.BREAKS,
                f"{event.function} yields all items in each worker",
                in_code(
                    "Rename __iter__ to all_items, and yield only a share of it in each worker",
                    _SHARD,
                ),
                confidence=Confidence.LIKELY,
                num_workers=format_argument(loader.get("num_workers")),
            )


_SHARD = """import itertools

import torch


def __iter__(self):
    info = torch.utils.data.get_worker_info()
    first, step = (info.id, info.num_workers) if info else (0, 1)
    yield from itertools.islice(self.all_items(), first, None, step)"""
