"""The explanation as Markdown, for a ticket."""

from collections.abc import Iterator

from pipedoctor.explanation.model import Explanation, Suspect
from pipedoctor.explanation.text import first_line, heading, looked_at, spot, sureness
from pipedoctor.report.markdown import fenced, plain


def render(said: Explanation) -> str:
    """Write it with the quoted lines in fences; remedies for every place."""
    return "\n".join(_lines(said)) + "\n"


def _lines(said: Explanation) -> Iterator[str]:
    yield f"# {plain(first_line(said))}"
    if said.fault is not None:
        yield from ("", plain(looked_at(said.fault)))
    for suspect in said.causes:
        yield from _suspect(suspect, said)
    if said.echoes:
        rows = ", ".join(str(echo.line) for echo in said.echoes)
        yield from ("", f"Echoes: lines {rows}.")


def _suspect(suspect: Suspect, said: Explanation) -> Iterator[str]:
    yield from ("", f"## {suspect.rank}. {plain(suspect.name)}", "")
    yield f"{plain(suspect.summary)}; {sureness(suspect)}"
    quoted = "\n".join(f"{spot(quote)}: {quote.text}" for quote in suspect.lines)
    yield from ("", fenced(quoted), "")
    yield f"Here: {suspect.here}; {plain(suspect.why_here)}"
    if suspect.decide and suspect.here == "unknown":
        yield from ("", "To decide:", "", fenced(suspect.decide, "sh"))
    if over := heading(suspect, said):
        yield from ("", over)
    for treatment in suspect.remedies:
        where = ", ".join(treatment.fits)
        yield from (
            "",
            f"**{plain(treatment.title)}**" + (f" ({where})" if where else ""),
        )
        if treatment.shell:
            yield from ("", fenced(treatment.shell, "sh"))
        if treatment.snippet:
            yield from ("", fenced(treatment.snippet))
    if suspect.sources:
        yield ""
        yield from (f"- <{source}>" for source in suspect.sources)
