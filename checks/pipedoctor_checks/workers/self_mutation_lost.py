"""PDR307: does an item change the dataset it belongs to?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.dataset import CounterUpdate
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_attribute


@check("PDR307", "Changes made to the dataset in a worker are lost", subject="item")
def self_mutation_lost(source: Source, /) -> Findings:
    """
    Look for counters and sets on `self` that code for items changes.

    ## Why it hurts

    Each worker changes its own copy: a counter was 0 in the main process after 16 items
    with workers, and 16 without. Whatever depends on it varies with the number of
    workers.

    ## How it is judged

    Code for items increments or decrements an attribute, or removes something from it.
    It is a note if that happens only for samples that fail, or if another type of the
    attribute shares it between processes.

    A stream (`__iter__`) that never ends loses nothing, and is not reported.

    ## Bad example

    ```python
    class Images(Dataset):
        def __init__(self, files):
            self.files = files
            self.count = 0

        def __getitem__(self, index):
            self.count += 1
            return Image.open(self.files[index])
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            return Image.open(self.files[index])
    ```

    ## Sources

    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    - https://docs.python.org/3/library/multiprocessing.html#multiprocessing.Value
    """
    events = source.select_item_events(CounterUpdate)
    for group in group_by_class(events):
        first = group[0]
        spare = all(event.details.spare for event in group)
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if spare else Severity.RISKS,
            f"{first.function} changes {first.name}, but each worker has its own copy",
            in_code("Share it between processes", _share_counter(first.name)),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )


def _share_counter(name: str) -> str:
    attribute = choose_attribute(name, "self.count")
    return (
        "import multiprocessing\n\n"
        f"{attribute} = multiprocessing.Value('q', 0)  # in __init__\n\n"
        f"with {attribute}.get_lock():\n"
        f"    {attribute}.value += 1"
    )
