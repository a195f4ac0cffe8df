"""Files that are valid but for a word which Python has taken since are read all the same."""

import ast

import pytest

from pipedoctor.source.discover.files import SourceFile
from pipedoctor.source.syntax.parse import NotPythonError, parse_file

OLD = "batch = batch.cuda(async=True)\nlabel = 'a text, async=1'\n"


def test_the_old_word_is_read_where_it_stands() -> None:
    parsed = parse_file(SourceFile("train.py", OLD.encode()))
    (word,) = [one for one in ast.walk(parsed.tree) if isinstance(one, ast.keyword)]
    assert (word.arg, word.lineno, word.col_offset) == ("async", 1, OLD.index("async"))
    assert parsed.content == OLD.encode()


@pytest.mark.parametrize("text", ["x.cuda(async=True)\nprint 1\n", "async = 1\n", "def f(:\n"])
def test_what_is_wrong_in_other_ways_is_not_read(text: str) -> None:
    with pytest.raises(NotPythonError, match="line "):
        parse_file(SourceFile("train.py", text.encode()))
