"""PDR204: does every item parse a text file?"""

from pipedoctor.check import Confidence, Finding, Findings, Severity, check, in_code
from pipedoctor.facts import Source
from pipedoctor.facts.code_events.item import ImageOpening, TextParse
from pipedoctor.facts.source import Event
from pipedoctor_checks._shared.code_finding import (
    group_by_class,
    list_spots,
    make_code_finding,
    name_functions,
)
from pipedoctor_checks._shared.own_names import name_array_file, read_first_argument

_ARRAY_PARSERS = {"numpy.loadtxt", "numpy.genfromtxt"}
_NUMBER_PARSERS = {*_ARRAY_PARSERS, "pandas.read_csv"}


@check("PDR204", "Text is parsed for every item", subject="item", merges=True)
def text_parse_per_item(source: Source, /) -> Findings:
    """
    Look for text that is parsed again for every item.

    ## Why it hurts

    Text is many times slower to read than arrays: `np.loadtxt` of 1024x6 numbers took
    1.28 ms, the same data as .npy 0.066 ms; a JSON file of 10,000 records took 26 ms.

    ## How it is judged

    A parser of numbers, tables, JSON, YAML or XML is called in code that runs for
    items. Text that is parsed once, in `__init__` or to fill an empty cache, is not
    reported. Annotations of an image in JSON, XML or a few lines are a note, because
    decoding the image takes longer. Reported once per project.

    ## Bad example

    ```python
    class Boxes(Dataset):
        def __getitem__(self, index):
            with open(self.labels[index]) as file:
                return torch.tensor(json.load(file))
    ```

    ## Good example

    ```python
    class Boxes(Dataset):
        def __init__(self, labels):
            self.boxes = []
            for label in labels:
                with open(label) as file:
                    self.boxes.append(torch.tensor(json.load(file)))

        def __getitem__(self, index):
            return self.boxes[index]
    ```

    ## Sources

    - https://numpy.org/doc/stable/reference/generated/numpy.loadtxt.html
    - https://numpy.org/doc/stable/reference/generated/numpy.save.html
    """
    events = [
        e
        for e in source.select_item_events(TextParse)
        if not e.details.once and not (e.details.lazy and "self." in " ".join(e.guards))
    ]
    pictured = {e.dataset for e in source.select_item_events(ImageOpening)}
    large, labels = list[list[Event[TextParse]]](), list[list[Event[TextParse]]]()
    for group in group_by_class(events):
        beside = group[0].dataset in pictured
        numbers = any(event.name in _NUMBER_PARSERS for event in group)
        (labels if beside and not numbers else large).append(group)
    yield from (_report_parsing([group], Severity.SLOWS) for group in large)
    if labels:
        yield _report_parsing(labels, Severity.NOTE)


def _report_parsing(groups: list[list[Event[TextParse]]], severity: Severity) -> Finding:
    first = groups[0][0]
    events = [event for group in groups for event in group]
    return make_code_finding(
        list_spots(events),
        severity,
        f"{name_functions(groups, 'parse')} text for every item",
        in_code("Parse once and store arrays", _store_array(first))
        if first.name in _ARRAY_PARSERS
        else in_code("Parse once, when the dataset is made", _parse_ahead(first)),
        confidence=Confidence.LIKELY,
        calls=sorted({event.name for event in events}),
        function=first.function,
        dataset=first.dataset,
    )


def _store_array(event: Event[TextParse]) -> str:
    """Code for a parser of arrays, in the names of the code; empty: it reads a stream."""
    call = event.details.text
    path = read_first_argument(call)
    file = name_array_file(path)
    saved = f"np.save({file}, {call})  # once for each file, before the training"
    return f"{saved}\nnp.load({file}, mmap_mode='r')  # for each item" if path else ""


def _parse_ahead(event: Event[TextParse]) -> str:
    """Code that parses all files in ``__init__``; empty: one list does not name them."""
    code = event.details.ahead or ""
    return f"# at the end of __init__\n{code}\n{_use_parsed(event)}" if code else ""


def _use_parsed(event: Event[TextParse]) -> str:
    return f"# in place of {event.details.text}\n{event.details.parsed}"
