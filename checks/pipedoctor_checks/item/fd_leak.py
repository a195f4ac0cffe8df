"""PDR209: does an item leave a file open?"""

from pipedoctor.check import Confidence, Findings, Severity, check, in_code
from pipedoctor.check.edits import rewrite_blocks
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import FileOpening
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
)
from pipedoctor_checks._shared.own_names import choose_name


@check("PDR209", "Files are opened and not closed", fix="code", subject="item", merges=True)
def fd_leak(source: Source, /) -> Findings:
    """
    Look for files that code for items opens and never closes.

    ## Why it hurts

    Each file stays open until the garbage collector runs: after some thousand items the
    job fails with Too many open files.

    ## How it is judged

    The file is held in a variable of the function, and is neither closed, nor managed
    by `with`, nor returned or passed on to what may keep it; or it is read where it is
    opened, as in `open(path).read()`. CPython usually closes a file once nothing refers to it, so
    this is a note, except for descriptors of `os.open`, which are never closed
    automatically.

    ## Bad example

    ```python
    class Records(Dataset):
        def __getitem__(self, index):
            file = open(self.files[index], "rb")
            return file.read()
    ```

    ## Good example

    ```python
    class Records(Dataset):
        def __getitem__(self, index):
            with open(self.files[index], "rb") as file:
                return file.read()
    ```

    ## Sources

    - https://docs.python.org/3/library/functions.html#open
    - https://docs.astral.sh/ruff/rules/open-file-with-context-handler/
    """
    events = [
        e
        for e in source.select_item_events(FileOpening)
        if not (e.details.used or e.details.managed or e.details.lazy)
        and not e.details.kept.startswith("self.")
    ]
    for group in group_by_class(events):
        first = group[0]
        forever = any(event.name == "os.open" for event in group)
        yield make_code_finding(
            list_spots(group),
            Severity.RISKS if forever else Severity.NOTE,
            f"{first.function} does not close the files it opens",
            in_code(
                "Open it in a with statement",
                f"with {first.details.text or 'open(path)'} as"
                f" {choose_name(first.details.kept, 'file')}:",
                edits=rewrite_blocks(group),
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.dataset,
        )
