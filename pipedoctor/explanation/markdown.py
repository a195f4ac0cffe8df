"""The explanation as Markdown, for a ticket."""

from collections.abc import Iterator

from pipedoctor.explanation.model import Explanation, SuspectedCause
from pipedoctor.explanation.text import (
    choose_heading,
    describe_confidence,
    describe_exception,
    describe_target,
    format_line_number,
    write_first_line,
)
from pipedoctor.report.markdown import escape_markdown, fence_code


def render(explanation: Explanation) -> str:
    """Write it with the quoted lines in fences; remedies for every place."""
    return "\n".join(_write_lines(explanation)) + "\n"


def _write_lines(explanation: Explanation) -> Iterator[str]:
    yield f"# {escape_markdown(write_first_line(explanation))}"
    for place in explanation.unresponsive:
        yield from ("", escape_markdown(place))
    if target := describe_target(explanation):
        yield from ("", target)
    if explanation.fault is not None:
        yield from ("", escape_markdown(describe_exception(explanation.fault)))
    for suspect in explanation.causes:
        yield from _write_cause(suspect, explanation)
    if explanation.echoes:
        rows = ", ".join(str(echo.line) for echo in explanation.echoes)
        yield from ("", f"Echoes: lines {rows}.")


def _write_cause(suspect: SuspectedCause, explanation: Explanation) -> Iterator[str]:
    yield from ("", f"## {suspect.rank}. {escape_markdown(suspect.name)}", "")
    yield f"{escape_markdown(suspect.summary)}; {describe_confidence(suspect)}"
    quoted = "\n".join(f"{format_line_number(quote)}: {quote.text}" for quote in suspect.lines)
    yield from ("", fence_code(quoted), "")
    yield f"Here: {suspect.here}; {escape_markdown(suspect.why_here)}"
    if suspect.decide and suspect.here == "unknown":
        yield from ("", "To confirm:", "", fence_code(suspect.decide, "sh"))
    if over := choose_heading(suspect, explanation):
        yield from ("", over)
    if suspect.assumed and suspect.remedies:
        yield from ("", f"Assuming {escape_markdown(suspect.assumed)}.")
    for remedy in suspect.remedies:
        where = ", ".join(remedy.fits)
        yield from (
            "",
            f"**{escape_markdown(remedy.title)}**" + (f" ({where})" if where else ""),
        )
        if remedy.shell:
            yield from ("", fence_code(remedy.shell, "sh"))
        if remedy.listing:
            yield from ("", fence_code(remedy.listing))
    if suspect.sources:
        yield ""
        yield from (f"- <{source}>" for source in suspect.sources)
