"""Lines of code under a finding, with what it means underlined."""

import pytest
from msgspec.structs import replace

from pipedoctor.check import Location
from pipedoctor.report.model import Report
from pipedoctor.report.source_frame import SourceFrame, render_frame
from pipedoctor.report.text import render

CODE = ["import torch", "\tloader = make(dataset)  # 1", "", "print(loader)"]


def _draw(spot: Location, width: int = 80, lines: "list[str] | None" = None) -> list[str]:
    frame = SourceFrame.from_line(lines or CODE, spot.line, 1)
    return list(render_frame(frame, spot, width))


def test_the_place_is_underlined_below_its_line() -> None:
    spot = Location(path="a.py", line=2, column=11, end_line=2, end_column=24)

    assert _draw(spot) == [
        "  |",
        "1 | import torch",
        "2 |     loader = make(dataset)  # 1",
        "  |              ^^^^^^^^^^^^^",
        "  |",
    ], "a tab is four columns; a blank line at the edge is left out"


@pytest.mark.parametrize(
    ("spot", "carets"),
    [
        pytest.param(Location(path="a", line=4, column=7), 7, id="to the end of the line"),
        pytest.param(
            Location(path="a", line=2, column=2, end_line=4, end_column=3), 27, id="more lines"
        ),
        pytest.param(Location(path="a", line=4, column=90), 1, id="beyond the line"),
        pytest.param(
            Location(path="a", line=4, column=3, end_line=4, end_column=3), 1, id="a point"
        ),
    ],
)
def test_how_much_is_underlined(spot: Location, carets: int) -> None:
    assert sum(line.count("^") for line in _draw(spot)) == carets


def test_wide_characters_take_two_columns() -> None:
    spot = Location(path="a", line=1, column=4, end_line=1, end_column=5)

    assert _draw(spot, lines=["\u6f22\u5b57 x"])[2] == "  |      ^"


def test_long_lines_are_cut_at_the_width_and_nothing_in_them_is_obeyed() -> None:
    spot = Location(path="a", line=1, column=1)

    drawn = _draw(spot, 40, ["x = '" + "y" * 100 + "\x1b[31m'"])

    assert all(len(line) <= 40 for line in drawn)
    assert drawn[1].endswith("...")
    assert "\x1b" not in "".join(_draw(spot, 40, ["\x1b[31m"]))


def test_the_report_shows_it_under_its_finding(ill: Report) -> None:
    spot = Location(path="train.py", line=4, column=1, end_line=4, end_column=6)
    entry = replace(ill.findings[0], location=spot)
    frames = {("train.py", 4): SourceFrame.from_line(CODE, 4, 1)}

    text = render(replace(ill, findings=(entry,)), frames=frames)

    assert "\n   4 | print(loader)\n     | ^^^^^\n" in text
