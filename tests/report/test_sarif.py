"""SARIF: what code scanning shows, and what it keeps track of."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Edit, Location
from pipedoctor.report.model import (
    Report,
    ReportedFacts,
    ReportedFinding,
    SeverityCounts,
)
from pipedoctor.report.sarif import render
from tests.report.sarif_runs import CHECKS, run
from tests.report.test_html_hostile import poisoned


def result(report: Report, entry: ReportedFinding) -> dict[str, Any]:
    found: dict[str, Any] = run(replace(report, findings=(entry,)))["results"][0]
    return found


def test_a_healthy_machine_has_no_result(well: Report) -> None:
    quiet = run(well, 0)

    assert quiet["results"] == []
    assert quiet["tool"]["driver"]["rules"] == []
    assert quiet["invocations"] == [
        {
            "executionSuccessful": True,
            "exitCode": 0,
            "endTimeUtc": "2026-01-01T00:00:00Z",
            "toolExecutionNotifications": [],
            "toolConfigurationNotifications": [],
        }
    ]


def test_nothing_judged_is_no_success(well: Report) -> None:
    assert not run(replace(well, healthy=()), 3)["invocations"][0]["executionSuccessful"]


def test_a_finding_of_the_machine_has_a_place_to_be_shown_at(
    ill: Report, snapshot: SnapshotAssertion
) -> None:
    first = run(ill)["results"][0]

    assert (first["ruleId"], first["ruleIndex"]) == ("PDR701", 0)
    assert (first["level"], first["rank"]) == ("error", 90.0)
    assert first["message"]["text"].splitlines()[:2] == snapshot
    (place,) = first["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "this-machine", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1},
    }
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "machine/shm-too-small"


def test_a_finding_in_code_has_its_region(ill: Report) -> None:
    spot = Location(path="a b/é.py", line=3, column=5, end_line=4, end_column=9)

    found = result(ill, replace(ill.findings[1], location=spot))

    assert found["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b/%C3%A9.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 4, "endColumn": 9},
    }
    (also,) = found["relatedLocations"]
    assert also["physicalLocation"]["artifactLocation"]["uri"] == "eval.py"
    assert also["id"] == 1


@pytest.mark.parametrize(
    ("path", "artifact"),
    [
        ("/x y/t.py", {"uri": "file:///x%20y/t.py"}),
        ("C:\\x\\t.py", {"uri": "file:///C:/x/t.py"}),
        ("a?b#c:d.py", {"uri": "a%3Fb%23c%3Ad.py", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_any_path_is_a_uri(ill: Report, path: str, artifact: dict[str, str]) -> None:
    found = result(ill, replace(ill.findings[1], location=Location(path=path, line=1)))

    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == artifact


def test_a_notebook_names_the_cell(ill: Report, snapshot: SnapshotAssertion) -> None:
    spot = Location(path="x.ipynb#cell3", line=7, end_line=7, end_column=4)

    found = result(ill, replace(ill.findings[1], location=spot))

    place = found["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "x.ipynb"
    assert place["physicalLocation"]["region"] == {"startLine": 1}
    assert place["logicalLocations"] == [{"name": "cell 3", "kind": "module"}]
    assert found["message"]["text"] == snapshot


def test_rules_have_the_page_of_the_check(ill: Report) -> None:
    rule, other = run(ill)["tool"]["driver"]["rules"]

    assert (rule["id"], rule["name"]) == ("PDR701", "ShmTooSmall")
    assert rule["shortDescription"]["text"] == ill.findings[0].title
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert rule["help"]["markdown"].startswith(f"# {CHECKS['PDR701'].title} (PDR701)\n")
    assert "## Why it hurts" in rule["help"]["markdown"]
    assert "\nWhy it hurts\n" in rule["help"]["text"]
    assert "`" not in rule["help"]["text"]
    assert "```toml" in rule["help"]["markdown"]
    assert "toml" not in rule["help"]["text"]
    assert rule["helpUri"] == "https://example.org/shm"
    assert rule["properties"]["tags"] == ["pytorch", "machine"]
    assert other["properties"] == {
        "tags": ["pytorch", "code"],
        "problem.severity": "warning",
    }
    assert "helpUri" not in other


def test_the_gravest_finding_of_a_rule_is_its_level(ill: Report) -> None:
    mild = replace(ill.findings[0], severity="note")
    many = replace(ill, findings=(mild, replace(mild, severity="slows"), mild))

    (rule,) = run(many)["tool"]["driver"]["rules"]

    assert rule["defaultConfiguration"]["level"] == "warning"
    assert [r["level"] for r in run(many)["results"]] == ["note", "warning", "note"]


def test_what_was_skipped_is_told(ill: Report, snapshot: SnapshotAssertion) -> None:
    crashed = replace(ill.skipped[0], reason="crashed: ValueError")
    taken = replace(ill.skipped[1], reason="accepted: old", accepted=True)

    told = run(replace(ill, skipped=(crashed, taken)))["invocations"][0]

    assert told["toolExecutionNotifications"] == [
        {
            "level": "warning",
            "message": {"text": "skipped PDR710 slow-storage: crashed: ValueError"},
            "associatedRule": {"id": "PDR710"},
        },
        {
            "level": "note",
            "message": {"text": "accepted PDR720 quota: accepted: old"},
            "associatedRule": {"id": "PDR720"},
        },
    ]
    assert told["toolConfigurationNotifications"][0]["message"]["text"] == snapshot


EDIT = Edit(path="train.py", line=3, column=1, end_line=3, end_column=4, replacement="x")


def test_edits_are_fixes(ill: Report) -> None:
    cure = replace(ill.findings[0].remedies[1], edits=(EDIT,))
    entry = replace(ill.findings[1], remedies=(ill.findings[0].remedies[0], cure))

    (fix,) = result(ill, entry)["fixes"]

    assert fix["description"]["text"] == "Raise the limit for good"
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "train.py"
    assert change["replacements"] == [
        {
            "deletedRegion": {
                "startLine": 3,
                "startColumn": 1,
                "endLine": 3,
                "endColumn": 4,
            },
            "insertedContent": {"text": "x"},
        }
    ]


def test_edits_that_a_viewer_would_turn_around_are_none(ill: Report) -> None:
    edit = replace(EDIT, replacement="x = 1\n\ty = '\u202e'\n")
    cure = replace(ill.findings[0].remedies[1], edits=(EDIT, edit))

    assert "fixes" not in result(ill, replace(ill.findings[1], remedies=(cure,)))


def test_edits_of_notebooks_are_none(ill: Report) -> None:
    edit = replace(EDIT, path="x.ipynb", cell=1)
    cure = replace(ill.findings[0].remedies[1], edits=(EDIT, edit))

    assert "fixes" not in result(ill, replace(ill.findings[1], remedies=(cure,)))


def test_nothing_in_it_is_obeyed(hostile: Report) -> None:
    text = render(hostile, CHECKS, 1).decode()

    assert not any(c in text for c in "\x1b\x9b\u202e\u200b\udcff")
    found = run(hostile)["results"][0]
    assert "](y)" not in found["message"]["text"]
    place = found["locations"][0]["physicalLocation"]["artifactLocation"]
    assert not set(place["uri"]) & set("#?[]<>|` ")


@pytest.mark.parametrize("control", "\u202e\u2066\u200f\u061c\ufeff\x9b")
def test_no_text_of_it_turns_the_direction(control: str, ill: Report) -> None:
    """Neither as it is written nor once it is read: a viewer shows what it reads."""
    spoilt = tuple(
        replace(poisoned(entry, f"x{control}y"), code=entry.code, name=entry.name, cause="")
        for entry in ill.findings
    )

    text = render(replace(ill, findings=spoilt), CHECKS, 1).decode()

    assert control not in text
    assert control not in str(json.loads(text))


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_any_text_goes_through(text: str, path: str) -> None:
    entry = ReportedFinding(
        rank=1,
        code="X1",
        name=text,
        severity="note",
        title=text,
        summary=text,
        evidence={text: text},
        location=Location(path=path, line=1),
        confidence="possible",
        sources=(f"https://{text}",),
    )
    report = Report(
        created="2026-01-01T00:00:00Z",
        seconds=0,
        facts=ReportedFacts(known={}, unknown={}),
        findings=(entry,),
        summary=SeverityCounts(note=1),
    )

    found = run(report)

    uri = found["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert uri["uri"].isascii()
    assert found["results"][0]["message"]["text"]
    assert found["tool"]["driver"]["rules"][0]["shortDescription"]["text"]
