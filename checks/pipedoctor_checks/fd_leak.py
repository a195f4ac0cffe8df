"""PDR209: does an item leave a file open?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.edits import managed
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR209", "Files are opened and not closed")
def fd_leak(source: Source, /) -> Findings:
    """
    Look for files that code for items opens and never closes.

    ## Why it hurts

    Each stays open until the garbage collector comes by: after some thousand items it
    is Too many open files.

    ## How it is judged

    The file is kept in a variable of the function, and neither closed, nor managed by
    `with`, nor handed on or returned; or it is read where it is opened, as in
    `open(path).read()`. CPython usually closes it when nothing refers to it any more,
    so this is a note, except for descriptors of `os.open`, which nobody closes.

    ## Sources

    - https://docs.python.org/3/library/functions.html#open
    - https://docs.astral.sh/ruff/rules/open-file-with-context-handler/
    """
    events = [
        e
        for e in source.per_item("open")
        if not (
            e.details.get("used") or e.details.get("managed") or e.details.get("lazy")
        )
        and not str(e.details.get("kept")).startswith("self.")
    ]
    for group in by_class(events):
        first = group[0]
        forever = any(event.name == "os.open" for event in group)
        yield at(
            spots(group),
            Severity.RISKS if forever else Severity.NOTE,
            f"{first.function} does not close what it opens",
            in_code(
                "Open it in a with statement",
                "with open(path, 'rb') as file:",
                edits=managed(group),
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
