"""PDR204: does every item parse a text file?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import Source
from pipedoctor.facts.source import Event
from pipedoctor.remedy import in_code
from pipedoctor_checks._code import at, by_class, spots, together

_NUMBERS = {"numpy.loadtxt", "numpy.genfromtxt", "pandas.read_csv"}


@check("PDR204", "Text is parsed for every item")
def text_parse_per_item(source: Source, /) -> Findings:
    """
    Look for text that is parsed again for every item.

    ## Why it hurts

    Text is many times slower to read than arrays: `np.loadtxt` of 1024x6 numbers took
    1.28 ms, the same as .npy 0.066 ms; a JSON file of 10,000 records 26 ms.

    ## How it is judged

    A parser of numbers, tables, JSON, YAML or XML is called in code that runs for
    items. What is parsed once, in `__init__` or for a cache that is empty yet, is
    left alone. What an image says of itself in JSON, XML or a few lines is a note: to
    decode the image takes longer; it is said once of a project.

    ## Sources

    - https://numpy.org/doc/stable/reference/generated/numpy.loadtxt.html
    - https://numpy.org/doc/stable/reference/generated/numpy.save.html
    """
    events = [
        e
        for e in source.per_item("text-parse")
        if not e.details.get("once")
        and not (e.details.get("lazy") and "self." in " ".join(e.guards))
    ]
    pictured = {e.details.get("dataset") for e in source.per_item("image-open")}
    large, labels = list[list[Event]](), list[list[Event]]()
    for group in by_class(events):
        beside = group[0].details.get("dataset", "") in pictured
        numbers = any(event.name in _NUMBERS for event in group)
        (labels if beside and not numbers else large).append(group)
    yield from (_said([group], Severity.SLOWS) for group in large)
    if labels:
        yield _said(labels, Severity.NOTE)


def _said(groups: list[list[Event]], severity: Severity) -> Finding:
    first = groups[0][0]
    events = [event for group in groups for event in group]
    return at(
        spots(events),
        severity,
        f"{together(groups, 'parse')} text for every item",
        in_code(
            "Parse once, and keep arrays",
            "np.save(path, array)  # later: np.load(path, mmap_mode='r')",
        ),
        confidence=Confidence.LIKELY,
        calls=sorted({event.name for event in events}),
        function=first.function,
        dataset=first.details.get("dataset", ""),
    )
