"""Every promise that documents make is kept by a test that is named beside it."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("promises.toml")
DOCUMENTS = (
    "README.md",
    "SECURITY.md",
    "docs/reference/configuration.md",
    "docs/how-to/fix.md",
    "docs/how-to/attach-a-report.md",
    "docs/how-to/judge-a-fleet.md",
    "docs/how-to/explain-a-log.md",
    "docs/how-to/measure.md",
    "docs/how-to/watch-a-job.md",
    "docs/how-to/use-in-ci.md",
    "docs/how-to/judge-a-ticket.md",
    "docs/reference/command-line.md",
    "docs/report.md",
)
PROMISE = re.compile(
    r"\b(?:never|nothing is|is always|(?:are|is) refused|even if|no network|not obeyed"
    r"|cannot be restored|left alone|without blocking|whatever system|rolled back"
    r"|wherever it stands|is abandoned)\b",
    re.IGNORECASE,
)
"""Words with which promises are made."""
_DISCLAIMER = "Not promised"


@cache
def read_promises() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads(TABLE.read_text("utf-8"))["promise"]
    return rows


def fold(text: str) -> str:
    return " ".join(text.split())


@cache
def read_document(name: str) -> str:
    return fold((ROOT / name).read_text("utf-8"))


def iter_sentences(name: str) -> Iterator[str]:
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text("utf-8"), flags=re.DOTALL)
    for part in re.split(r"\n\s*\n|\n- |\n\|", text):
        yield from re.split(r"(?<=[.:;])\s+(?=[A-Z`*])", fold(part))


@cache
def list_functions(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_promise_of_a_document_has_a_row(name: str) -> None:
    kept = [fold(row["text"]) for row in read_promises() if row["document"] == name]
    missing = [
        sentence
        for sentence in iter_sentences(name)
        if PROMISE.search(sentence)
        and not sentence.startswith(_DISCLAIMER)
        and not any(text in sentence or sentence in text for text in kept)
    ]

    assert missing == [], f"name the tests that keep it in {TABLE.name}"


def test_every_row_stands_in_its_document() -> None:
    gone = [
        row["text"]
        for row in read_promises()
        if fold(row["text"]) not in read_document(row["document"])
    ]

    assert gone == []


def test_every_test_that_is_named_exists() -> None:
    named = {test for row in read_promises() for test in row["tests"]}
    gone = [
        test
        for path, _, function in (test.partition("::") for test in sorted(named))
        if function not in list_functions(path)
        for test in [f"{path}::{function}"]
    ]

    assert gone == []
    assert all(row["tests"] for row in read_promises())
