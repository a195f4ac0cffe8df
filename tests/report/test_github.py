"""Annotations: one command a line, and no text of a stranger becomes a command."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Location
from pipedoctor.report import github
from pipedoctor.report.model import Report

COMMAND = re.compile(r"::(error|warning|notice) ([^:\r\n]*)::([^\r\n]*)")


def test_a_healthy_machine_says_nothing(well: Report) -> None:
    assert github.render(well) == b""


def test_a_report(ill: Report, snapshot: SnapshotAssertion) -> None:
    first, second, other = github.render(ill).decode().splitlines()

    assert first == snapshot
    assert second == snapshot
    assert other.startswith("::warning file=")
    assert "as at" in other


def test_each_other_file_of_a_finding_has_its_own(ill: Report) -> None:
    first, *others = (Location(path=path, line=3) for path in ("c.py", "c.py", "b.py", "a.py"))
    entry = replace(ill.findings[0], location=first, also_at=tuple(others))

    lines = github.render(replace(ill, findings=(entry,))).decode().splitlines()

    assert [line.partition("file=")[2][:4] for line in lines] == ["c.py", "a.py", "b.py"]
    assert lines[1].endswith(f"::{entry.title}, as at c.py:3")


@pytest.mark.parametrize(
    ("severity", "kind"),
    [
        ("breaks", "error"),
        ("risks", "warning"),
        ("slows", "warning"),
        ("note", "notice"),
    ],
)
def test_kinds(ill: Report, severity: str, kind: str) -> None:
    entry = replace(ill.findings[0], severity=severity)

    text = github.render(replace(ill, findings=(entry,))).decode()

    assert text.startswith(f"::{kind} ")


@pytest.mark.parametrize(
    ("spot", "place"),
    [
        (Location(path="a.py", line=3, column=2), "file=a.py,line=3,col=2"),
        (Location(path="a.py", line=3, end_line=3), "file=a.py,line=3,col=1"),
        (
            Location(path="a.py", line=3, column=2, end_line=3, end_column=9),
            "file=a.py,line=3,col=2,endColumn=9",
        ),
        (
            Location(path="a.py", line=3, column=2, end_line=4, end_column=9),
            "file=a.py,line=3,endLine=4",
        ),
        (Location(path="x.ipynb#cell2", line=3), "file=x.ipynb"),
        (Location(path="a,b:c%d.py", line=1), "file=a%2Cb%3Ac%25d.py,line=1,col=1"),
    ],
)
def test_places(ill: Report, spot: Location, place: str) -> None:
    entry = replace(ill.findings[0], location=spot, remedies=())

    text = github.render(replace(ill, findings=(entry,))).decode()

    assert text.startswith(f"::error {place},title=")


def test_a_cell_is_told_in_words(ill: Report) -> None:
    spot = Location(path="x.ipynb#cell2", line=3)
    entry = replace(ill.findings[0], location=spot, remedies=(), summary="s")

    text = github.render(replace(ill, findings=(entry,))).decode()

    assert text.endswith("::In cell 2, line 3: s\n")


def test_nothing_in_it_is_obeyed(hostile: Report) -> None:
    text = github.render(hostile).decode()

    assert text.count("\n") == 1
    assert not any(c in text for c in "\x1b\x9b\u202e\u200b\udcff")


@given(st.text())
def test_any_text_is_one_property_and_one_message(text: str) -> None:
    line = f"::error file={github.escape_property(text)},title=x::{github.escape_data(text)}"

    found = COMMAND.fullmatch(line)

    assert found is not None
    assert found[2].count(",") == 1
    assert len(line.splitlines()) == 1
