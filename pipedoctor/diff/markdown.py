"""A comparison as Markdown for a ticket: the answer, tables, the rest folded."""

from collections.abc import Iterator

from pipedoctor.diff import words
from pipedoctor.diff.model import Diff, Difference
from pipedoctor.report.markdown import fenced, plain
from pipedoctor.report.words import where


def render(diff: Diff) -> str:
    """Write it as Markdown that shows every value and obeys none."""
    return "\n".join(_lines(diff)) + "\n"


def _lines(diff: Diff) -> Iterator[str]:
    yield f"# pipedoctor diff: {plain(diff.answer)}"
    yield ""
    if diff.command:
        yield f"What cures it {plain(words.where(diff))}:"
        yield from ("", fenced(diff.command, "sh"), "")
    for side in diff.sides:
        yield f"- **{plain(side.name)}**: {plain(words.party(side))}"
    yield ""
    for chapter in words.chapters(diff, full=True):
        yield f"## {plain(chapter.heading)}"
        yield ""
        yield from _table(diff, chapter.shown)
        for one in chapter.shown:
            yield from _remedy(one)
    for remark in words.remarks(diff, full=True):
        yield f"- {plain(remark)}"
    yield ""
    yield from _folded(diff)


def _table(diff: Diff, shown: tuple[Difference, ...]) -> Iterator[str]:
    names = " | ".join(plain(side.name) for side in diff.sides)
    yield f"| # | what | {names} |"
    yield f"|--:|---|{'---|' * len(diff.sides)}"
    for one in shown:
        said = " | ".join(_said(one, side) for side in range(len(one.values)))
        yield f"| {one.rank} | {_title(one)} | {said} |"
        for fact in one.evidence:
            said = " | ".join(plain(value.shown) for value in fact.values)
            yield f"|  | {plain(fact.title or fact.field)} | {said} |"
    yield ""


def _said(one: Difference, side: int) -> str:
    """What one side has; in bold where it stands apart from the majority."""
    shown = plain(one.values[side].shown)
    return f"**{shown}**" if side in one.apart else shown


def _title(one: Difference) -> str:
    fault = one.finding
    if fault is None:
        return plain(one.title)
    return f"**{fault.severity}** {plain(fault.code)} {plain(fault.name)}"


def _remedy(one: Difference) -> Iterator[str]:
    fault = one.finding
    for cure in fault.remedies[:1] if fault is not None else ():
        number = f"Remedy of {one.rank}"
        yield f"{number}: **{plain(cure.title)}** ({plain(where(cure))})"
        yield ""
        if cure.shell:
            yield from (fenced(cure.shell, "sh"), "")
        if cure.snippet:
            yield from (fenced(cure.snippet), "")


def _folded(diff: Diff) -> Iterator[str]:
    if diff.folded:
        names = " | ".join(plain(side.name) for side in diff.sides)
        yield from _fold(f"{diff.trifles} folded: noise, and what follows")
        yield f"| what | {names} | because |"
        yield f"|---|{'---|' * len(diff.sides)}---|"
        for one in diff.folded:
            said = " | ".join(plain(value.shown) for value in one.values)
            what = plain(words.trifle(one))
            yield f"| {what} | {said} | {plain(one.because)} |"
        yield from ("", "</details>", "")
    if diff.unknown:
        yield from _fold(f"{len(diff.unknown)} unknown on one side: no difference")
        for gap in diff.unknown:
            yield f"- {plain(words.gap(diff, gap))}"
        yield from ("", "</details>", "")


def _fold(title: str) -> tuple[str, ...]:
    return ("<details>", f"<summary>{plain(title)}</summary>", "")
