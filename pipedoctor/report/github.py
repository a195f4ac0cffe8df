"""The report as workflow commands: annotations in a pull request on GitHub."""

from collections.abc import Iterator

from pipedoctor.check import Location
from pipedoctor.report import annotation, words
from pipedoctor.report.model import Entry, Report
from pipedoctor.report.places import cell_of, file_of

KINDS = {"breaks": "error", "risks": "warning", "slows": "warning", "note": "notice"}


def render(report: Report) -> bytes:
    """Write one command a finding, and one for each file that was not read."""
    return "".join([*map(_command, report.findings), *_unread(report)]).encode()


def data(text: str) -> str:
    """What stands after the ``::``: nothing in it begins another command."""
    return words.clean(text).replace("%", "%25")


def value(text: str) -> str:
    """What a property may hold."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


def _command(entry: Entry) -> str:
    title = f"{entry.code} {entry.name}"
    pairs = [*_place(entry.location), f"title={value(title)}"]
    said = "%0A".join(map(data, annotation.lines(entry)))
    return f"::{KINDS[entry.severity]} {','.join(pairs)}::{said}\n"


def _unread(report: Report) -> Iterator[str]:
    for path, reason in words.unread(report):
        yield f"::warning file={value(path)},title=not read::{data(reason)}\n"


def _place(spot: Location | None) -> Iterator[str]:
    """GitHub wants columns only where they are of one line."""
    if spot is None:
        return
    yield f"file={value(file_of(spot))}"
    if cell_of(spot):
        return
    yield f"line={spot.line}"
    end = spot.end_line
    if end is not None and end > spot.line:
        yield f"endLine={end}"
    else:
        yield f"col={spot.column}"
        if end == spot.line and spot.end_column is not None:
            yield f"endColumn={spot.end_column}"
