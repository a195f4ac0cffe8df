"""PDR206: does every item list a folder?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots


@check("PDR206", "A folder is listed for every item")
def dir_scan_per_item(source: Source, /) -> Findings:
    """
    Look for folders that are listed again for every item.

    ## Why it hurts

    The whole folder is read to find one file: in a folder of 10,000 files
    `os.listdir` took 3.6 ms and `glob` 12 ms on a local disk, far more over a
    network.

    ## How it is judged

    `os.listdir`, `os.scandir`, `os.walk` or a glob is called in code that runs for
    items. A listing in `__init__` is right; one that depends on the type of what is
    asked for is left alone.

    ## Sources

    - https://docs.python.org/3/library/os.html#os.scandir
    - https://docs.python.org/3/library/glob.html
    """
    events = [
        e
        for e in source.per_item("dir-scan")
        if not e.details.get("lazy") and not e.details.get("by_type")
    ]
    for group in by_class(events):
        first = group[0]
        yield at(
            spots(group),
            Severity.SLOWS,
            f"{first.function} lists a folder for every item",
            in_code(
                "List it once, in __init__",
                "self.files = {path.stem: path for path in folder.iterdir()}",
            ),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
