"""What CONTRIBUTING.md says of sizes: files and functions that one can take in."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pipedoctor
import pipedoctor_checks

LARGEST_FILE = 300
LONGEST_FUNCTION = 40
"""Lines, without decorators and docstring: that of a check is its page."""


def product() -> Iterator[Path]:
    for package in (pipedoctor, pipedoctor_checks):
        assert package.__file__
        yield from sorted(Path(package.__file__).parent.rglob("*.py"))


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert function.end_lineno is not None
    first = function.body[0]
    page = ast.get_docstring(function, clean=False) is not None
    assert first.end_lineno is not None
    told = first.end_lineno - first.lineno + 1 if page else 0
    return function.end_lineno - function.lineno + 1 - told


def test_files_and_functions_stay_small() -> None:
    found: list[str] = []
    for file in product():
        text = file.read_text(encoding="utf-8")
        if (count := text.count("\n")) > LARGEST_FILE:
            found.append(f"{file.name}: {count} lines")
        found += (
            f"{file.name}:{node.lineno} {node.name}: {lines(node)} lines"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and lines(node) > LONGEST_FUNCTION
        )

    assert not found
