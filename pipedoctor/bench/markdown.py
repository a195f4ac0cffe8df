"""A sheet as Markdown, for a ticket."""

from collections.abc import Iterator

from pipedoctor.bench.sheet import Sheet
from pipedoctor.report.markdown import plain


def render(sheet: Sheet) -> str:
    """Headline, what follows from it, the table, the notes."""
    return "\n".join(_lines(sheet)) + "\n"


def _lines(sheet: Sheet) -> Iterator[str]:
    yield f"# {plain(sheet.title)}"
    for said in sheet.said:
        yield ""
        yield plain(said)
    if sheet.rows:
        yield ""
        yield _row(sheet.head)
        yield "|" + "---|" * len(sheet.head)
        yield from map(_row, sheet.rows)
    if sheet.notes:
        yield ""
    yield from (f"- {plain(note)}" for note in sheet.notes)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(plain(cell) for cell in cells) + " |"
