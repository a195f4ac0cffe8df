"""PDR216: may an item be tried again and again without end?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import UnboundedRetry
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR216", "A bad sample may be retried forever", subject="item", merges=True)
def unbounded_retry(source: Source, /) -> Findings:
    """
    Look for loops around a sample that may fail which nothing ends.

    ## Why it hurts

    If nothing can be read, because a disk is missing or a transform is wrong, the
    worker loops forever and the job hangs without an error.

    ## How it is judged

    `__getitem__` loops without a condition, or until what it loads is not empty, and the
    only exit is a good item: nothing counts, raises or breaks. If failed samples are
    removed, the loop ends after trying all of them: a note.

    ## Bad example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            while True:
                try:
                    return Image.open(self.files[index])
                except OSError:
                    index = random.randrange(len(self.files))
    ```

    ## Good example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            for _ in range(3):
                try:
                    return Image.open(self.files[index])
                except OSError:
                    index = random.randrange(len(self.files))
            raise OSError("three files in a row cannot be read")
    ```

    ## Sources

    - https://github.com/facebookresearch/detectron2/blob/main/detectron2/data/common.py
    """
    for group in group_by_class(source.select_events(UnboundedRetry)):
        shrinks = all(event.details.shrinks for event in group)
        yield make_code_finding(
            list_spots(group),
            Severity.NOTE if shrinks else Severity.RISKS,
            f"{group[0].function} tries all other samples if none is good"
            if shrinks
            else f"{group[0].function} retries forever if no sample is good",
            in_code("Raise after a few attempts", "for attempt in range(10):"),
            confidence=Confidence.LIKELY,
        )
