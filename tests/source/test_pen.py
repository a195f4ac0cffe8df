"""What stands before and behind a point of a line."""

import pytest

from pipedoctor.source.apart import take_apart
from pipedoctor.source.files import Source
from pipedoctor.source.parse import parse
from pipedoctor.source.pen import Pen, Point

LINES = ("if x:", "\tf(a)  # why", "    f(b) ; g(c)", "f(d,\\", "  # no", "", "  e)")


@pytest.fixture(name="pen")
def _pen() -> Pen:
    text = parse(Source("a.py", b"if x:\n    f(b)\nf(d)"))
    pen = Pen(take_apart(text, "a", package=False))
    pen.lines = list(LINES)
    return pen


@pytest.mark.parametrize(
    ("line", "column", "opens", "ends", "comment"),
    [
        (2, 1, True, False, False),
        (2, 2, False, False, False),
        (2, 5, False, True, True),
        (2, 7, False, True, True),
        (3, 8, False, False, False),
        (3, 15, False, True, False),
        (6, 0, True, True, False),
    ],
)
def test_what_a_point_stands_between(
    pen: Pen,
    line: int,
    column: int,
    opens: bool,
    ends: bool,
    comment: bool,
) -> None:
    at = Point(line, column)
    assert (pen.opens(at), pen.ends(at), pen.comment(at)) == (opens, ends, comment)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Point(3, 8), Point(3, 9)),  # blanks
        (Point(2, 5), Point(3, 4)),  # a comment
        (Point(4, 4), Point(7, 2)),  # a backslash, a comment, an empty line
        (Point(7, 4), Point(8, 0)),  # the end
        (Point(4, 3), Point(4, 3)),  # nothing
    ],
)
def test_where_code_goes_on(pen: Pen, before: Point, after: Point) -> None:
    assert pen.next(before) == after


def test_words_and_text_between_points(pen: Pen) -> None:
    assert pen.says(Point(3, 4), "f(b)")
    assert not pen.says(Point(3, 5), "f(b)")
    assert pen.text(Point(3, 4), Point(3, 8)) == "f(b)"
    assert pen.text(Point(3, 11), Point(5, 3)) == "g(c)\nf(d,\\\n  #"
    assert pen.indent(2) == "\t"
