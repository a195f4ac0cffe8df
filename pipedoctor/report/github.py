"""The report as workflow commands: annotations in a pull request on GitHub."""

from collections.abc import Iterator

from pipedoctor.check import Location
from pipedoctor.check.places import get_cell_number, get_file_path
from pipedoctor.report import annotation, sentences
from pipedoctor.report.configuration import describe_configuration
from pipedoctor.report.model import Report, ReportedFinding

COMMANDS = {"breaks": "error", "risks": "warning", "slows": "warning", "note": "notice"}


def render(report: Report) -> bytes:
    """Write one command a finding and file, and one for each file that was not read."""
    findings = (line for entry in report.findings for line in _format_commands(entry))
    notes = _format_configuration(report)
    return "".join([*findings, *_format_unread(report), *notes]).encode()


def escape_data(text: str) -> str:
    """What stands after the ``::``: nothing in it begins another command."""
    return sentences.clean_text(text).replace("%", "%25")


def escape_property(text: str) -> str:
    """What a property may hold."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _format_commands(entry: ReportedFinding) -> Iterator[str]:
    """At its place, and at the first of each other file: where a reader may look alone."""
    yield _format_command(entry, entry.location, annotation.format_annotation(entry))
    spot = entry.location
    others = {get_file_path(place): place for place in reversed(entry.also_at)}
    for path, place in sorted(others.items()) if spot else ():
        if spot and path != get_file_path(spot):
            yield _format_command(entry, place, [f"{entry.title}, as at {spot.path}:{spot.line}"])


def _format_command(entry: ReportedFinding, spot: Location | None, lines: list[str]) -> str:
    title = f"{entry.code} {entry.name}"
    pairs = [*_format_location(spot), f"title={escape_property(title)}"]
    message = "%0A".join(map(escape_data, lines))
    return f"::{COMMANDS[entry.severity]} {','.join(pairs)}::{message}\n"


def _format_unread(report: Report) -> Iterator[str]:
    for path, reason in sentences.list_unread(report):
        yield f"::warning file={escape_property(path)},title=not read::{escape_data(reason)}\n"


def _format_configuration(report: Report) -> Iterator[str]:
    for sentence in describe_configuration(report.configuration):
        yield f"::notice title=configuration::{escape_data(sentence)}\n"


def _format_location(spot: Location | None) -> Iterator[str]:
    """GitHub wants columns only where they are of one line."""
    if spot is None:
        return
    yield f"file={escape_property(get_file_path(spot))}"
    if get_cell_number(spot):
        return
    yield f"line={spot.line}"
    end = spot.end_line
    if end is not None and end > spot.line:
        yield f"endLine={end}"
    else:
        yield f"col={spot.column}"
        if end == spot.line and spot.end_column is not None:
            yield f"endColumn={spot.end_column}"
