"""The report as the body of an issue: whole where it fits, and else it says so."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pipedoctor.report import at_a_glance, markdown, sentences
from pipedoctor.report.model import Report
from pipedoctor.textsafe import encode_json
from pipedoctor.units import format_count, format_size

MAX_ISSUE_CHARS = 60_000
"""Characters; GitHub takes 65,536, and people write something above it."""
_NOTE_CHARS = 700
"""Characters kept for saying what was left out."""
ZIP_HINT = (
    "All of it is in the .zip of `pipedoctor report --all`, which"
    " `pipedoctor check --from` judges again."
)
_INTRODUCTION = (
    "pipedoctor examines the machine, the Python environment and the code under a"
    " PyTorch data pipeline; its findings are in the order in which to act."
)


class _IssueBody:
    """Blocks that fit, in their order, and the names of those that do not."""

    def __init__(self, room: int) -> None:
        self._room = room
        self.omitted: dict[str, tuple[int, int]] = {}

    def fit_blocks(self, kind: str, blocks: Iterable[str]) -> list[str]:
        """Those of these blocks for which there is room."""
        done: list[str] = []
        number = 0
        for block in blocks:
            number += 1
            if len(block) < self._room:
                self._room -= len(block) + 1
                done.append(block)
        if len(done) < number:
            self.omitted[kind] = number - len(done), number
        return done


def render(report: Report, full_report_note: str = ZIP_HINT, *, most: int = MAX_ISSUE_CHARS) -> str:
    """Write it in fewer than `most` characters; the note says where all of it is."""
    page = _IssueBody(most - _NOTE_CHARS)
    opening = "\n".join([*markdown.write_opening(report), _INTRODUCTION, ""])
    head = page.fit_blocks("head", [opening, _write_overview(report)])
    table = page.fit_blocks("rows of the table", map(markdown.format_row, report.findings))
    found = page.fit_blocks("findings in full", _write_findings(report, notes=False))
    notes = page.fit_blocks("notes in full", _write_findings(report, notes=True))
    noted = (
        markdown.write_details(format_count(len(notes), "note"), "\n".join(notes)) if notes else ()
    )
    skipped = page.fit_blocks("skipped checks", _join_block(_write_skipped(report)))
    facts = _write_facts(page, report)
    healthy = page.fit_blocks("healthy checks", _join_block(markdown.write_healthy(report)))
    note = [_describe_omitted(page.omitted, full_report_note), ""] if page.omitted else []
    rows = [*markdown.TABLE_HEADER, *table, ""] if table else []
    parts = [head[0], *note, *rows, *head[1:], *found, *noted]
    return "\n".join([*parts, *skipped, *healthy, *facts, "---", "", full_report_note, ""])


def _write_findings(report: Report, *, notes: bool) -> Iterator[str]:
    """Findings in full; notes are folded, for nobody has to act on them at once."""
    for entry in report.findings:
        if (entry.severity == "note") is notes:
            yield "\n".join(markdown.write_finding(entry))


def _write_overview(report: Report) -> str:
    """The machine in a few rows."""
    overview = at_a_glance.build_overview(report)
    rows = [
        f"| {markdown.escape_markdown(n)} | {markdown.escape_markdown(what)} |"
        for n, what in overview
    ]
    return "\n".join(["| examined | |", "|---|---|", *rows, ""]) if rows else ""


def _write_skipped(report: Report) -> Iterator[str]:
    """Skipped checks by kind and by their reason, the commonest first."""
    for title, groups in sentences.list_skips(report):
        lines = [
            f"- {markdown.escape_markdown(why)}: {', '.join(skip.code for skip in skips)}"
            for why, skips in groups
        ]
        yield from markdown.write_details(title, "\n".join(lines))


def _join_block(lines: Iterator[str]) -> list[str]:
    text = "\n".join(lines)
    return [text] if text else []


def _describe_omitted(cut_sections: Mapping[str, tuple[int, int]], full_report_note: str) -> str:
    omissions = [f"{few} of {all_} {kind}" for kind, (few, all_) in cut_sections.items()]
    return f"> Omitted to fit into an issue: {', '.join(omissions)}. {full_report_note}"


def _write_facts(page: _IssueBody, report: Report) -> list[str]:
    """What is known and what is not: as many sections as fit, small ones first."""
    known = {_write_section(n, facts): n for n, facts in report.facts.known.items()}
    unknown = [_write_section("unknown", report.facts.unknown)]
    fitting = page.fit_blocks("sections of facts", sorted(known, key=len))
    left = ", ".join(name for text, name in known.items() if text not in fitting)
    if left:
        page.omitted[f"sections of facts ({left})"] = page.omitted.pop("sections of facts")
    unknown = page.fit_blocks("reasons of unknown facts", unknown)
    return ["## Facts", "", *(text for text in known if text in fitting), *unknown]


def _write_section(name: str, facts: Mapping[str, Any]) -> str:
    rows = ",\n".join(f'"{key}": {_format_value(value)}' for key, value in _drop_empty(facts))
    size = format_size(len(rows)) if len(rows) > 1 << 10 else f"{len(facts)} fields"
    body = markdown.fence_code(f"{{{rows}}}", "json")
    return "\n".join(markdown.write_details(f"{name} ({size})", body))


def _format_value(value: object) -> str:
    """One row of a list a line, without what is empty in it."""
    if isinstance(value, (list, tuple)):
        items = cast("list[object]", value)
        if any(isinstance(item, dict) for item in items):
            return "[\n  " + ",\n  ".join(_format_json(item) for item in items) + "]"
        return _format_json(items)
    return _format_json(value)


def _format_json(value: object) -> str:
    if isinstance(value, dict):
        value = dict(_drop_empty(cast("dict[str, Any]", value)))
    return encode_json(value).decode()


def _drop_empty(facts: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return (pair for pair in facts.items() if pair[1] not in ("", [], (), {}))
