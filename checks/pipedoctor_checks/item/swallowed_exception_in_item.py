"""PDR210: does an item hide every error?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import SwallowedError
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)


@check("PDR210", "Bad samples are replaced silently", subject="item", merges=True)
def swallowed_exception_in_item(source: Source, /) -> Findings:
    """
    Look for handlers in code for items that catch everything and report nothing.

    ## Why it hurts

    A missing disk or a broken file then looks like data: the job trains on
    replacements, and their number stays unknown.

    ## How it is judged

    `except:` or `except Exception` neither raises, nor logs, nor uses the error.
    Handlers of specific errors, and logged retries, are deliberate and not reported.

    ## Bad example

    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            try:
                return Image.open(self.files[index])
            except Exception:
                return self[0]
    ```

    ## Good example

    ```python
    import logging

    class Images(Dataset):
        def __getitem__(self, index):
            try:
                return Image.open(self.files[index])
            except OSError:
                logging.warning("unreadable: %s", self.files[index])
                return self[0]
    ```

    ## Sources

    - https://docs.astral.sh/ruff/rules/try-except-pass/
    - https://docs.astral.sh/ruff/rules/blind-except/
    """
    events = [e for e in source.select_events(SwallowedError) if e.item]
    for group in group_by_class(events):
        first = group[0]
        yield make_code_finding(
            list_spots(group),
            Severity.RISKS,
            f"{first.function} catches {first.name} and continues silently",
            in_code(
                "Catch only expected errors, and count them",
                "except OSError as error:\n    logging.warning('skipped: %s', error)",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
