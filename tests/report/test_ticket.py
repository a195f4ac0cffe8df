"""A report in an issue: read by a Markdown parser, and never too long."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from pipedoctor.report import at_a_glance
from pipedoctor.report.model import Report, ReportedFacts, ReportedFinding
from pipedoctor.report.ticket import MAX_ISSUE_CHARS, render

WHOLE = "All of it is in `report.json`."


def tokens(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def inline(text: str, kind: str) -> list[str]:
    parsed = tokens(text)
    return [
        parsed[place + 1].content
        for place, token in enumerate(parsed)
        if token.type == kind and parsed[place + 1].type == "inline"
    ]


def many(report: Report, number: int) -> Report:
    """The same report with its first finding so often, each of another length."""
    (first, *_) = report.findings
    entries = tuple(
        replace(first, rank=n + 1, summary=f"{first.summary} {'x' * (n % 50)}")
        for n in range(number)
    )
    return replace(report, findings=entries)


def crowded(report: Report, number: int) -> Report:
    rows = [
        {"name": f"package-{n}", "version": "1.0", "location": "/x", "origin": ""}
        for n in range(number)
    ]
    known = {**report.facts.known, "packages": {"entries": rows, "complete": True}}
    facts = ReportedFacts(known=known, unknown=report.facts.unknown)
    return replace(report, facts=facts)


def test_it_opens_with_what_is_wrong(container: Report) -> None:
    text = render(container, WHOLE)

    assert text.startswith("# pipedoctor: 1 finding breaks the job, 2 slow it\n")
    headings = inline(text, "heading_open")
    assert headings[1].startswith("1. /dev/shm has 64.0 MiB")
    cells = inline(text, "td_open")
    assert cells[:2] == ["1", "breaks"]
    assert cells[cells.index("CPUs") + 1] == "8 of 64, bound by: cgroup quota"
    assert cells[cells.index("/dev/shm") + 1] == "64.0 MiB"
    assert text.endswith(f"---\n\n{WHOLE}\n")
    assert "in the order in which to act." in text.split("| #")[0]
    assert "Left out" not in text


def test_the_machine_in_a_few_rows(container: Report) -> None:
    def told(**known: dict[str, object]) -> dict[str, str]:
        facts = ReportedFacts(known={**container.facts.known, **known}, unknown={})
        return dict(at_a_glance.build_overview(replace(container, facts=facts)))

    cuda = told(torch={"version": "2.6.0", "local": "cu126", "cuda": "12.6"})
    plain = told(torch={"version": "2.6.0"}, cpu={"logical": 8, "affinity": 8})
    job = told(loader={"num_workers": 8, "prefetch_factor": 2, "ranks": 4})

    assert cuda["torch"] == "2.6.0+cu126 (CUDA 12.6)"
    assert (plain["torch"], plain["CPUs"]) == ("2.6.0 (no GPU backend)", "8")
    assert cuda["DataLoader"] == "num_workers 16, batches of 73.5 MiB"
    assert job["DataLoader"] == "num_workers 8, prefetch_factor 2, 4 ranks"


def test_facts_are_folded_and_each_is_json(container: Report) -> None:
    text = render(container, WHOLE)

    assert text.count("<details>") == text.count("</details>") > 8
    folded = re.findall(r"<summary>(\w[\w ]*) \(", text)
    assert folded == [*container.facts.known, "unknown"]
    fences = [t for t in tokens(text) if t.type == "fence" and t.info == "json"]
    assert len(fences) == len(folded)
    assert '"size": 67108864' in next(
        t.content for t in fences if "segments" in t.content or "67108864" in t.content
    )


def test_what_is_empty_is_left_out_of_rows(container: Report) -> None:
    text = render(crowded(container, 2), WHOLE)

    assert '{"name":"package-0","version":"1.0","location":"/x"},\n' in text


def test_skipped_checks_stand_by_their_reason(container: Report) -> None:
    text = render(container, WHOLE)
    rows = [row for row in text.splitlines() if row.startswith("- ") and ": PDR" in row]

    assert len(rows) == len({skip.reason for skip in container.skipped})
    kinds = text.index("could not be judged"), text.index("not applicable")
    assert kinds == tuple(sorted(kinds)), "gaps first, then what nobody asked for"
    assert sum(row.count("PDR") for row in rows) == len(container.skipped)


def test_large_facts_go_first_and_it_says_so(container: Report) -> None:
    text = render(crowded(container, 2000), WHOLE)

    assert len(text) < MAX_ISSUE_CHARS
    sections = len(container.facts.known) + 1
    assert f"> Omitted to fit into an issue: 1 of {sections} sections of facts (packages). " in text
    assert "package-7" not in text
    assert "<summary>shm (" in text
    assert WHOLE in text.split("| #")[0]


def test_of_many_findings_each_keeps_its_row_as_long_as_there_is_room(
    container: Report,
) -> None:
    text = render(many(container, 200), WHOLE)

    assert len(text) < MAX_ISSUE_CHARS
    assert re.search(r"> Omitted to fit into an issue: \d+ of 200 findings in full", text)
    rows = [cell for cell in inline(text, "td_open") if cell == "breaks"]
    assert len(rows) == 200


def test_absurdly_many_are_cut_as_well(container: Report) -> None:
    text = render(many(container, 3000), WHOLE)

    assert len(text) < MAX_ISSUE_CHARS
    assert re.search(r"Omitted to fit into an issue: \d+ of 3000 rows of the table", text)
    assert tokens(text)


def test_one_that_is_too_long_makes_no_room_for_none(container: Report) -> None:
    (first, *rest) = container.findings
    long = replace(first.remedies[0], snippet="x" * MAX_ISSUE_CHARS, shell="")
    huge: ReportedFinding = replace(first, remedies=(long,))

    text = render(replace(container, findings=(huge, *rest)), WHOLE)

    assert "1 of 3 findings in full" in text
    assert inline(text, "heading_open")[1].startswith("2. ")


def test_notes_are_folded_behind_what_is_graver(container: Report) -> None:
    first, second, third = container.findings
    note = replace(second, severity="note", summary="a mere note", cause="")

    text = render(replace(container, findings=(first, note, third)), WHOLE)

    assert "| 2 | note | a mere note |" in text
    assert text.index("## 3. ") < text.index("<summary>1 note</summary>")
    assert text.index("<summary>1 note</summary>") < text.index("## 2. a mere note")
    assert text.index("## 2. a mere note") < text.index("could not be judged")


def test_a_healthy_machine(container: Report) -> None:
    text = render(replace(container, findings=(), skipped=(), healthy=()), WHOLE)

    assert "| #" not in text
    assert "skipped" not in text
