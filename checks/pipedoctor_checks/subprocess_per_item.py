"""PDR214: does every item start a program?"""

from pipedoctor.check import Confidence, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_file, by_function, spots, together


@check("PDR214", "A program is started for every item")
def subprocess_per_item(source: Source, /) -> Findings:
    """
    Look for programs that are started for every item.

    ## Why it hurts

    Starting one takes 0.7 ms at least, for /bin/true, and the memory of the worker
    has to be mapped again for it.

    ## How it is judged

    `subprocess`, `os.system` or `os.popen` is called in code that runs for items.

    ## Sources

    - https://docs.python.org/3/library/subprocess.html
    """
    events = [e for e in source.per_item("subprocess") if not e.details.get("lazy")]
    for group in by_file(events):
        first = group[0]
        functions = list(by_function(group))
        yield at(
            spots(group),
            Severity.SLOWS,
            f"{together(functions, 'start')} a program for every item",
            in_code("Use a decoder that works in the process"),
            confidence=Confidence.LIKELY,
            calls=sorted({event.name for event in group}),
            function=first.function,
            dataset=first.details.get("dataset", ""),
        )
