"""Texts of real tickets with the findings that their readers agreed on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipedoctor.report.model import Report

CORPUS = Path(__file__).parents[3] / "shared" / "tickets" / "collect_env.jsonl"
pytestmark = pytest.mark.skipif(
    not CORPUS.is_file(), reason="the corpus of tickets lies in another repository"
)
AT_MOST = 1
"""Findings above a note that nobody asked for, in all texts together."""


def cases() -> list[dict[str, Any]]:
    if not CORPUS.is_file():
        return []
    return [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]


def names(ids: list[str]) -> set[str]:
    return {name.replace("_", "-") for name in ids}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases()])
def test_what_is_expected_is_found_and_nothing_forbidden(
    judge: Callable[[str], Report], case: dict[str, Any]
) -> None:
    found = {entry.name for entry in judge(case["text"]).findings}

    assert found >= names(case["expected_findings"])
    assert not found & names(case["forbidden_findings"])


def test_hardly_anything_is_found_unasked(judge: Callable[[str], Report]) -> None:
    unasked = [
        (case["id"], entry.name)
        for case in cases()
        for entry in judge(case["text"]).findings
        if entry.severity != "note"
        and entry.name not in names(case["expected_findings"] + case["optional_findings"])
    ]

    assert len(unasked) <= AT_MOST, unasked
