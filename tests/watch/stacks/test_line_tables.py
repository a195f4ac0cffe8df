"""Lines of instructions as CPython itself says them."""

import sys
from types import CodeType

import pytest

from pipedoctor.watch.stacks import line_tables


def sample(values: list[int]) -> int:
    total = 0
    for value in values:
        if value > 3 and value % 2:
            total += sum(item * item for item in range(value))
    return total


def codes(code: CodeType) -> list[CodeType]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [code, *(deeper for c in inner for deeper in codes(c))]


READ = line_tables.find_line_310 if sys.version_info < (3, 11) else line_tables.find_line_311


@pytest.mark.parametrize("code", codes(sample.__code__), ids=lambda c: c.co_name)
def test_the_same_lines_as_python(code: CodeType) -> None:
    table = code.co_linetable
    for begin, end, line in code.co_lines():
        for offset in range(begin, end, 2):
            if line is not None:
                assert READ(table, code.co_firstlineno, offset) == line


def test_a_damaged_table_ends() -> None:
    assert line_tables.find_line_311(b"\xff" * 9, 7, 400) >= 0
    assert line_tables.find_line_310(b"\x02\x01\x02", 7, 400) == 8
    assert line_tables.find_line_311(b"", 7, 0) == 7
