"""PDR404: is an iterator made again and again for a single batch?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import rewrite_pieces
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.training import FreshIterator
from pipedoctor_checks._shared.code_finding import make_code_finding
from pipedoctor_checks._shared.loader_calls import has_no_workers


@check("PDR404", "All workers start for a single batch", fix="code", subject="loader")
def wasted_iterator(source: Source, /) -> Findings:
    """
    Look for `next(iter(loader))` that happens more than once.

    ## Why it hurts

    Each time all workers start, and all but one of their batches are discarded: 29 to
    107 ms by fork, 1 to 3 s by spawn.

    ## How it is judged

    It is in a loop, or in a function that is called in a loop; in one line or in two, or as a
    loop over the loader that ends with its first batch. It is fine once at the start, or only
    after an iterator has ended.

    ## Bad example

    ```python
    def train(dataset):
        loader = DataLoader(dataset, batch_size=64, num_workers=4)
        for step in range(1000):
            train_step(next(iter(loader)))
    ```

    ## Good example

    ```python
    import itertools

    def train(dataset):
        loader = DataLoader(dataset, batch_size=64, num_workers=4)
        for rows in itertools.islice(loader, 1000):
            train_step(rows)
    ```

    ## Sources

    - https://github.com/pytorch/pytorch/blob/main/torch/utils/data/dataloader.py
    - https://docs.python.org/3/library/itertools.html#itertools.cycle
    """
    for event in source.select_events(FreshIterator):
        again = event.loops > 0 or event.details.repeats
        fed = event.details.loader
        idle = 0 <= fed < len(source.loaders) and has_no_workers(source.loaders[fed])
        if again and not event.handler and not event.guards:
            begins = "begins an epoch" if idle else "starts all workers"
            yield make_code_finding(
                [event.at],
                Severity.NOTE if idle else Severity.SLOWS,
                f"{event.function} {begins} to take one batch: {event.name}",
                in_code(
                    "Keep one iterator, or read batch_size from the loader",
                    edits=rewrite_pieces(event) if _is_random_order(source, fed) else (),
                    unsafe="successive batches of one epoch, instead of the first batch of a"
                    " new epoch each time",
                ),
                confidence=Confidence.LIKELY,
            )


def _is_random_order(source: Source, number: int) -> bool:
    """Is any batch as good as the first? Otherwise the very same one may be required."""
    if not 0 <= number < len(source.loaders):
        return False
    loader = source.loaders[number]
    return bool(loader.get("shuffle").value) or loader.get("sampler").how != "absent"
