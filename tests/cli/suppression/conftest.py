"""Code with findings, and how `check` judges it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.cli.conftest import Run

CODE = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        print(index)
        return index


def train():
    for batch in DataLoader(Images(), num_workers=2):
        print(batch)
"""
ARGS = ("check", "--quick", "--select", "print-in-item,unused-ignore", "--fail-on")


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(CODE)
    return path


def judge(run: Run, *args: str, code: int = 0, fail_on: str = "note") -> dict[str, Any]:
    """The report of a run that ends with this exit code."""
    result = run(*ARGS, fail_on, "--format", "json", *args)
    assert result.exit_code == code, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    places = [entry["code"] for entry in report["findings"]]
    places = [*dict.fromkeys(places), *report["healthy"]]
    places += [skip["code"] for skip in report["skipped"]]
    assert len(places) == len(set(places)), "each check is in one place"
    return report


def reason(report: dict[str, Any], code: str = "PDR201") -> str:
    (skip,) = [s for s in report["skipped"] if s["code"] == code]
    assert skip["accepted"]
    return str(skip["reason"])


def lines(report: dict[str, Any]) -> list[tuple[str, int]]:
    return [(entry["location"]["path"], entry["location"]["line"]) for entry in report["findings"]]


def refused(result: Result) -> str:
    assert result.exit_code == 2
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    return result.stderr.removeprefix("pipedoctor check: ").strip()
