"""A line of code is known again wherever it went, and by nothing that is secret."""

import json
from pathlib import Path

import pytest

from pipedoctor.collect.code.source import source
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Source
from pipedoctor.source.syntax.line_fingerprints import (
    FINGERPRINT_DIGITS,
    fingerprint_line,
)

CODE = """\
from torch.utils.data import DataLoader

loader = DataLoader(data, num_workers=2)
"""


def collected(*paths: Path | str) -> Source:
    return source(Machine(), [str(path) for path in paths], 20, lambda _: None)


def prints(facts: Source) -> dict[int, str]:
    return {mark.line: mark.print for mark in facts.marks}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"f(a, b)", b"    f( a,b )  "),
        (b"f(a)", b"f(a)  # pipedoctor: ignore[x]"),
        (b"f('a')", b"f('b')"),
        (b'f("a # b")', b'f("c")'),
    ],
)
def test_equal(one: bytes, other: bytes) -> None:
    assert fingerprint_line("a.py", one) == fingerprint_line("a.py", other)


@pytest.mark.parametrize(
    ("name", "line"), [("b.py", b"f(a)"), ("a.py", b"f(b)"), ("a.py", b"g(a)")]
)
def test_different(name: str, line: bytes) -> None:
    assert fingerprint_line("a.py", b"f(a)") != fingerprint_line(name, line)


def test_a_hash_is_short_and_of_any_bytes() -> None:
    assert len(fingerprint_line("\udcff", b"\xff\x00")) == FINGERPRINT_DIGITS


def test_lines_of_loaders_are_marked(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(CODE)
    before = prints(collected(file))
    file.write_text("# moved\n\n" + CODE)

    after = prints(collected(file))

    assert before[3] == after[5]
    assert 3 not in after


def test_cells_have_lines_of_their_own(tmp_path: Path) -> None:
    def book(*cells: str) -> Source:
        rows = [{"cell_type": "code", "source": cell} for cell in cells]
        (tmp_path / "a.ipynb").write_text(json.dumps({"cells": rows}))
        return collected(tmp_path / "a.ipynb")

    one = {(m.cell, m.line): m.print for m in book(CODE).marks}
    two = {(m.cell, m.line): m.print for m in book("x = 1", CODE).marks}

    assert one[1, 3] == two[2, 3]


def test_the_name_counts_from_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    above = collected("sub")
    monkeypatch.chdir(tmp_path / "sub")
    below = collected("a.py")

    assert prints(above) == prints(below)
    assert above.marks[0].path != below.marks[0].path
