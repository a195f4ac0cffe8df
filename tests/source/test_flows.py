"""Whole small projects: each line that is marked has its hazard, and no other line has any."""

import re
from pathlib import Path

import pytest

from pipedoctor.check import Check
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Source
from tests.checks.code_samples import read

HAZARDS = [c for c in get_catalogue().checks.values() if c.needs.get(Source)]
FLOWS = {path.stem: path for path in sorted(Path(__file__).with_name("flows").glob("*.txt"))}
_FILE = re.compile(r"^==> (.+)$", re.MULTILINE)
_MARK = re.compile(r"  # ((?:PDR\d{3} ?)+)$", re.MULTILINE)
Place = tuple[str, str, int]
"""Code of a check, path, line."""


def split_files(text: str) -> dict[str, str]:
    """The files of a project: each begins with ``==> path``."""
    _, *parts = _FILE.split(text)
    return dict(zip(parts[::2], (part.lstrip("\n") for part in parts[1::2]), strict=True))


def list_marks(files: dict[str, str]) -> set[Place]:
    """The lines that are marked, with the codes of their hazards."""
    return {
        (code, path, number)
        for path, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        for mark in _MARK.finditer(line)
        for code in mark[1].split()
    }


def list_places(check: Check[...], facts: Facts) -> set[Place]:
    """The lines that a check names."""
    found = check.run(facts).findings
    places = [place for one in found for place in (one.location, *one.also_at) if place]
    return {(check.code, place.path, place.line) for place in places}


@pytest.mark.parametrize("path", FLOWS.values(), ids=FLOWS)
def test_each_marked_line_is_found_and_no_other(path: Path) -> None:
    files = split_files(path.read_text())
    for name, text in files.items():
        compile(text, name, "exec")
    facts = Facts(read(files))
    assert set().union(*(list_places(check, facts) for check in HAZARDS)) == list_marks(files)
