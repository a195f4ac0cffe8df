"""A sheet as Markdown, for a ticket."""

from collections.abc import Iterator

from pipedoctor.bench.result_table import ResultSheet
from pipedoctor.report.markdown import escape_markdown


def render(sheet: ResultSheet) -> str:
    """Headline, what follows from it, the table, the notes."""
    return "\n".join(_render_lines(sheet)) + "\n"


def _render_lines(sheet: ResultSheet) -> Iterator[str]:
    yield f"# {escape_markdown(sheet.title)}"
    for conclusion in sheet.conclusions:
        yield ""
        yield escape_markdown(conclusion)
    if sheet.rows:
        yield ""
        yield _format_row(sheet.header)
        yield "|" + "---|" * len(sheet.header)
        yield from map(_format_row, sheet.rows)
    if sheet.notes:
        yield ""
    yield from (f"- {escape_markdown(note)}" for note in sheet.notes)


def _format_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(escape_markdown(cell) for cell in cells) + " |"
