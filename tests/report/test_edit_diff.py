"""Edits are shown as the user's own lines, before and after."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Edit
from pipedoctor.report import markdown, text
from pipedoctor.report.edit_diff import MAX_DIFF_LINES, EditDiffs, diff_edits
from pipedoctor.report.model import Report

CODE = (
    "import torch",
    "",
    "loader = DataLoader(data, num_workers=0)",
    "for x in loader:",
    "    f(x)",
)


def edit(line: int, column: int, end: tuple[int, int], text: str, *, cell: int = 0) -> Edit:
    return Edit(
        path="train.py",
        line=line,
        column=column,
        end_line=end[0],
        end_column=end[1],
        replacement=text,
        cell=cell,
    )


def read(path: str, cell: int) -> tuple[str, ...]:
    return CODE if (path, cell) == ("train.py", 0) else ()


WORKERS = edit(3, 39, (3, 40), "2")


def test_one_line() -> None:
    assert diff_edits((WORKERS,), read) == (
        "@@ -2,3 +2,3 @@ train.py",
        " ",
        "-loader = DataLoader(data, num_workers=0)",
        "+loader = DataLoader(data, num_workers=2)",
        " for x in loader:",
    )


def test_several_edits_lines_that_come_and_lines_that_go() -> None:
    imported = edit(2, 1, (2, 1), "import os\n")
    joined = edit(4, 17, (5, 5), " ")

    shown = diff_edits((imported, WORKERS, joined), read)

    assert [line for line in shown if line[0] in "+-"] == [
        "+import os",
        "-loader = DataLoader(data, num_workers=0)",
        "-for x in loader:",
        "-    f(x)",
        "+loader = DataLoader(data, num_workers=2)",
        "+for x in loader: f(x)",
    ]


def test_two_insertions_at_one_place_keep_their_order() -> None:
    guard = edit(4, 1, (4, 1), "if here:\n")
    indents = (edit(4, 1, (4, 1), "    "), edit(5, 1, (5, 1), "    "))

    assert diff_edits((guard, *indents), read)[2:] == (
        "-for x in loader:",
        "-    f(x)",
        "+if here:",
        "+    for x in loader:",
        "+        f(x)",
    )


def test_a_line_after_the_last() -> None:
    after = edit(6, 1, (6, 1), "main()\n")

    assert diff_edits((after,), read)[-1] == "+main()"


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param((edit(9, 1, (9, 1), "x"),), id="no such line"),
        pytest.param((edit(3, 1, (2, 1), "x"),), id="backwards"),
        pytest.param((WORKERS, edit(1, 1, (1, 1), "x", cell=2)), id="no such cell"),
        pytest.param((edit(2, 1, (2, 1), "x\n" * MAX_DIFF_LINES),), id="too much to show"),
    ],
)
def test_nothing_is_shown_where_it_would_not_fit(edits: tuple[Edit, ...]) -> None:
    assert diff_edits(edits, read) == ()


def test_a_report_shows_them_in_place_of_the_example(ill: Report) -> None:
    cause = ill.findings[0]
    cure = replace(cause.remedies[1], edits=(WORKERS,), snippet="an example")
    report = replace(ill, findings=(replace(cause, remedies=(cure,)),))
    diffs: EditDiffs = {(WORKERS,): ("-old", "+new")}

    for shown in (text.render(report, diffs=diffs), markdown.render(report, diffs=diffs)):
        assert "-old\n" in shown
        assert "an example" not in shown
    assert "an example" in text.render(report)


def test_a_file_s_name_forges_no_line() -> None:
    odd = replace(WORKERS, path="a\n$ rm -rf x\n\u202e.py")

    shown = diff_edits((odd,), lambda _path, _cell: CODE)

    assert shown[0] == r"@@ -2,3 +2,3 @@ a\n$ rm -rf x\n\u202e.py"
