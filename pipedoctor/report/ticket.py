"""The report as the body of an issue: whole where it fits, and else it says so."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pipedoctor.legible import compact
from pipedoctor.report import glance, markdown, words
from pipedoctor.report.model import Report
from pipedoctor.units import human, many

MOST = 60_000
"""Characters; GitHub takes 65,536, and people write something above it."""
_NOTE = 700
"""Characters kept for saying what was left out."""
_WHAT = (
    "pipedoctor examines the machine, the Python environment and the code under a"
    " PyTorch data pipeline; what it finds stands in the order in which to act."
)


class _Page:
    """Blocks that fit, in their order, and the names of those that do not."""

    def __init__(self, room: int) -> None:
        self._room = room
        self.cut: dict[str, tuple[int, int]] = {}

    def fit(self, kind: str, blocks: Iterable[str]) -> list[str]:
        """Those of these blocks for which there is room."""
        done: list[str] = []
        number = 0
        for block in blocks:
            number += 1
            if len(block) < self._room:
                self._room -= len(block) + 1
                done.append(block)
        if len(done) < number:
            self.cut[kind] = number - len(done), number
        return done


def render(report: Report, whole: str, *, most: int = MOST) -> str:
    """Write it in fewer than `most` characters; `whole` says where all of it is."""
    page = _Page(most - _NOTE)
    opening = "\n".join([*markdown.opening(report), _WHAT, ""])
    head = page.fit("head", [opening, _glance(report)])
    table = page.fit("rows of the table", map(markdown.row, report.findings))
    found = page.fit("findings in full", _sections(report, notes=False))
    notes = page.fit("notes in full", _sections(report, notes=True))
    noted = markdown.folded(many(len(notes), "note"), "\n".join(notes)) if notes else ()
    skipped = page.fit("skipped checks", _block(_skipped(report)))
    facts = _facts(page, report)
    healthy = page.fit("healthy checks", _block(markdown.healthy(report)))
    note = [_note(page.cut, whole), ""] if page.cut else []
    rows = [*markdown.TABLE, *table, ""] if table else []
    parts = [head[0], *note, *rows, *head[1:], *found, *noted]
    return "\n".join([*parts, *skipped, *healthy, *facts, "---", "", whole, ""])


def _sections(report: Report, *, notes: bool) -> Iterator[str]:
    """Findings in full; notes are folded, for nobody has to act on them at once."""
    for entry in report.findings:
        if (entry.severity == "note") is notes:
            yield "\n".join(markdown.section(entry))


def _glance(report: Report) -> str:
    """The machine in a few rows."""
    told = glance.rows(report)
    rows = [f"| {markdown.plain(n)} | {markdown.plain(what)} |" for n, what in told]
    return "\n".join(["| examined | |", "|---|---|", *rows, ""]) if rows else ""


def _skipped(report: Report) -> Iterator[str]:
    """Skipped checks by their reason, the commonest first."""
    lines = [
        f"- {markdown.plain(why)}: {', '.join(skip.code for skip in skips)}"
        for why, skips in words.by_reason(report)
    ]
    if lines:
        title = f"{len(report.skipped)} skipped: not judged, so neither ill nor healthy"
        yield from markdown.folded(title, "\n".join(lines))


def _block(lines: Iterator[str]) -> list[str]:
    text = "\n".join(lines)
    return [text] if text else []


def _note(cut: Mapping[str, tuple[int, int]], whole: str) -> str:
    said = [f"{few} of {all_} {kind}" for kind, (few, all_) in cut.items()]
    return f"> Left out to fit into an issue: {', '.join(said)}. {whole}"


def _facts(page: _Page, report: Report) -> list[str]:
    """What is known and what is not: as many sections as fit, small ones first."""
    known = {_section(n, facts): n for n, facts in report.facts.known.items()}
    unknown = [_section("not known", report.facts.unknown)]
    fitting = page.fit("sections of facts", sorted(known, key=len))
    left = ", ".join(name for text, name in known.items() if text not in fitting)
    if left:
        page.cut[f"sections of facts ({left})"] = page.cut.pop("sections of facts")
    unknown = page.fit("reasons of unknown facts", unknown)
    return ["## Facts", "", *(text for text in known if text in fitting), *unknown]


def _section(name: str, facts: Mapping[str, Any]) -> str:
    rows = ",\n".join(f'"{key}": {_value(value)}' for key, value in _said(facts))
    size = human(len(rows)) if len(rows) > 1 << 10 else f"{len(facts)} fields"
    body = markdown.fenced(f"{{{rows}}}", "json")
    return "\n".join(markdown.folded(f"{name} ({size})", body))


def _value(value: object) -> str:
    """One row of a list a line, without what is empty in it."""
    if isinstance(value, (list, tuple)):
        items = cast("list[object]", value)
        if any(isinstance(item, dict) for item in items):
            return "[\n  " + ",\n  ".join(_json(item) for item in items) + "]"
        return _json(items)
    return _json(value)


def _json(value: object) -> str:
    if isinstance(value, dict):
        value = dict(_said(cast("dict[str, Any]", value)))
    return compact(value).decode()


def _said(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return (pair for pair in facts.items() if pair[1] not in ("", [], (), {}))
