"""PDR201: does code for items print?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import combine_edits, remove_statement
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import Print
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.training_loop import is_occasional


@check("PDR201", "Code for items prints", fix="code", subject="item", merges=True)
def print_in_item(source: Source, /) -> Findings:
    """
    Look for `print` in code that runs for every item.

    ## Why it hurts

    The output of several workers is interleaved, fills logs, and costs more than a
    light item: 40,000 items took 0.080 s, with a print 0.131 s.

    ## How it is judged

    The function is reached from `__getitem__`, `__iter__`, a collate function or a
    transform, also through other files. Not reported: printing in `__init__`, in
    `except`, where nothing could be loaded, behind a flag such as `verbose`, or at
    intervals. Behind any other condition it is a note.

    ## Bad example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            image = Image.open(self.files[index])
            print("loaded", self.files[index])
            return image
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            image = Image.open(self.files[index])
            if self.verbose:
                print("loaded", self.files[index])
            return image
    ```

    ## Sources

    - https://docs.python.org/3/library/logging.html
    - https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """
    prints = [e for e in source.select_item_events(Print) if not e.details.refuses]
    events = [e for e in prints if not is_occasional(e)]
    for group in group_by_class(events):
        first = group[0]
        always = any(not event.guards for event in group)
        yield make_code_finding(
            list_spots(group),
            Severity.SLOWS if always else Severity.NOTE,
            f"{first.function} prints for {'every item' if always else 'some items'}",
            in_code(
                "Remove the print, or log with a rate limit",
                edits=combine_edits(map(remove_statement, group)),
                unsafe="the printed output disappears",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
