"""No pattern of the engine takes much longer than its text is: others write that."""

import time
from pathlib import Path

import pytest

from pipedoctor.collect.code.source import find_minimums
from pipedoctor.privacy.redactor import RedactionLevel, Redactor


@pytest.mark.parametrize(
    ("begin", "filler", "end"),
    [
        ("", "a", " x(rw,sync)"),
        ("Register worker name: a", "1", "."),
        ("", " ", "x value: y\n name: password"),
        ("token=", "1", "z"),
        ("image: a", ".a", " x"),
    ],
)
def test_redaction_of_a_long_line(begin: str, filler: str, end: str) -> None:
    """The square of it took seconds."""
    began = time.process_time()

    Redactor(RedactionLevel.PUBLIC).redact_text(begin + filler * 20_000 + end)

    assert time.process_time() - began < 1.5


@pytest.mark.parametrize(
    "text", ["torch" + " " * 9000 + "x", "requires-python" + " " * 9000 + "x", "\n" * 9000 + "x"]
)
def test_versions_in_the_files_of_a_project(text: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(text)
    began = time.process_time()

    assert find_minimums([str(tmp_path)]) == (None, None)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("torch>=2.1", "2.1"),
        ('"torch >= 2.1.0"', "2.1.0"),
        ("torch[extra] == 2.4", "2.4"),
        ('torch = "2.5"', "2.5"),
        ("PyTorch 2.3", "2.3"),
        ("PyTorch version 1.13", "1.13"),
    ],
)
def test_a_version_of_torch_is_found(text: str, version: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(text)
    found, _ = find_minimums([str(tmp_path)])

    assert found is not None
    assert found.version == version
