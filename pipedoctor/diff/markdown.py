"""A comparison as Markdown for a ticket: the answer, tables, the rest folded."""

from collections.abc import Iterator

from pipedoctor.diff import sentences
from pipedoctor.diff.model import Diff, Difference
from pipedoctor.report.markdown import escape_markdown, fence_code
from pipedoctor.report.sentences import describe_remedy_place


def render(diff: Diff) -> str:
    """Write it as Markdown that shows every value and obeys none."""
    return "\n".join(_write_lines(diff)) + "\n"


def _write_lines(diff: Diff) -> Iterator[str]:
    yield f"# pipedoctor diff: {escape_markdown(diff.answer)}"
    yield ""
    if diff.command:
        yield f"Remedy {escape_markdown(sentences.describe_target(diff))}:"
        yield from ("", fence_code(diff.command, "sh"), "")
    for side in diff.sides:
        what = escape_markdown(sentences.describe_side(side))
        yield f"- **{escape_markdown(side.name)}**: {what}"
    yield ""
    for chapter in sentences.split_chapters(diff, full=True):
        yield f"## {escape_markdown(chapter.heading)}"
        yield ""
        yield from _write_table(diff, chapter.shown)
        for one in chapter.shown:
            yield from _write_remedy(one)
    for remark in sentences.write_remarks(diff, full=True):
        yield f"- {escape_markdown(remark)}"
    yield ""
    yield from _write_folded(diff)


def _write_table(diff: Diff, differences: tuple[Difference, ...]) -> Iterator[str]:
    names = " | ".join(escape_markdown(side.name) for side in diff.sides)
    yield f"| # | what | {names} |"
    yield f"|--:|---|{'---|' * len(diff.sides)}"
    for one in differences:
        cells = " | ".join(_format_side(one, side) for side in range(len(one.values)))
        yield f"| {one.rank} | {_format_title(one)} | {cells} |"
        for fact in one.evidence:
            cells = " | ".join(escape_markdown(value.shown) for value in fact.values)
            yield f"|  | {escape_markdown(fact.title or fact.field)} | {cells} |"
    yield ""


def _format_side(one: Difference, side: int) -> str:
    """What one side has; in bold where it stands apart from the majority."""
    shown = escape_markdown(one.values[side].shown)
    return f"**{shown}**" if side in one.apart else shown


def _format_title(one: Difference) -> str:
    fault = one.finding
    if fault is None:
        return escape_markdown(one.title)
    return f"**{fault.severity}** {escape_markdown(fault.code)} {escape_markdown(fault.name)}"


def _write_remedy(one: Difference) -> Iterator[str]:
    fault = one.finding
    for remedy in fault.remedies[:1] if fault is not None else ():
        number = f"Remedy of {one.rank}"
        place = escape_markdown(describe_remedy_place(remedy))
        yield f"{number}: **{escape_markdown(remedy.title)}** ({place})"
        yield ""
        if remedy.shell:
            yield from (fence_code(remedy.shell, "sh"), "")
        if remedy.listing:
            yield from (fence_code(remedy.listing), "")


def _write_folded(diff: Diff) -> Iterator[str]:
    if diff.folded:
        names = " | ".join(escape_markdown(side.name) for side in diff.sides)
        yield from _open_details(f"{diff.folded_count} hidden: noise and consequences")
        yield f"| what | {names} | reason |"
        yield f"|---|{'---|' * len(diff.sides)}---|"
        for one in diff.folded:
            cells = " | ".join(escape_markdown(value.shown) for value in one.values)
            what = escape_markdown(sentences.describe_folded(one))
            yield f"| {what} | {cells} | {escape_markdown(one.because)} |"
        yield from ("", "</details>", "")
    if diff.unknown:
        yield from _open_details(f"{len(diff.unknown)} unknown on one side, so not compared")
        for gap in diff.unknown:
            yield f"- {escape_markdown(sentences.describe_gap(diff, gap))}"
        yield from ("", "</details>", "")


def _open_details(title: str) -> tuple[str, ...]:
    return ("<details>", f"<summary>{escape_markdown(title)}</summary>", "")
