"""What stands before and behind a point of a line."""

import pytest

from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.syntax.index import index_module
from pipedoctor.source.syntax.parse import parse_file
from pipedoctor.source.syntax.source_text import SourceText, TextPosition

LINES = ("if x:", "\tf(a)  # why", "    f(b) ; g(c)", "f(d,\\", "  # no", "", "  e)")


@pytest.fixture(name="pen")
def _pen() -> SourceText:
    text = parse_file(SourceFile("a.py", b"if x:\n    f(b)\nf(d)"))
    pen = SourceText(index_module(text, "a", package=False))
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
    pen: SourceText,
    line: int,
    column: int,
    opens: bool,
    ends: bool,
    comment: bool,
) -> None:
    at = TextPosition(line, column)
    assert (pen.is_line_start(at), pen.is_line_end(at), pen.is_before_comment(at)) == (
        opens,
        ends,
        comment,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TextPosition(3, 8), TextPosition(3, 9)),  # blanks
        (TextPosition(2, 5), TextPosition(3, 4)),  # a comment
        (
            TextPosition(4, 4),
            TextPosition(7, 2),
        ),  # a backslash, a comment, an empty line
        (TextPosition(7, 4), TextPosition(8, 0)),  # the end
        (TextPosition(4, 3), TextPosition(4, 3)),  # nothing
    ],
)
def test_where_code_goes_on(pen: SourceText, before: TextPosition, after: TextPosition) -> None:
    assert pen.next_code(before) == after


def test_words_and_text_between_points(pen: SourceText) -> None:
    assert pen.has_text_at(TextPosition(3, 4), "f(b)")
    assert not pen.has_text_at(TextPosition(3, 5), "f(b)")
    assert pen.text_between(TextPosition(3, 4), TextPosition(3, 8)) == "f(b)"
    assert pen.text_between(TextPosition(3, 11), TextPosition(5, 3)) == "g(c)\nf(d,\\\n  #"
    assert pen.indentation(2) == "\t"


@pytest.mark.parametrize(
    ("line", "binds"),
    [
        ("x = torch.ones(torch.pi)", False),
        ("import torch.nn, os", False),
        ("from torch import nn", False),
        ("from x import torch", True),
        ("from torch import torch", True),
        ("import x; torch = 1", True),
        ("def f():\n    import torch.nn", True),
        ("def f(torch): pass", True),
        ("torch = \\\n  1", True),
        ("x = (torch\n  .y)", True),
    ],
)
def test_what_may_bind_a_name_is_seen_by_its_words(line: str, binds: bool) -> None:
    text = parse_file(SourceFile("a.py", f"import torch\n{line}\n".encode()))
    source = SourceText(index_module(text, "a", package=False))
    assert source.may_bind("torch") is binds
    assert "torch" not in source.assigned_names or binds
