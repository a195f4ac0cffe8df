"""What is healthy reads as healthy; findings in code show their lines."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipedoctor.cli.request.job_arguments import format_exact_size
from pipedoctor.units import parse_size

if TYPE_CHECKING:
    from tests.cli.conftest import Run

SECRET = "/data/patients"
TRAIN = f"""\
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

photos = ImageFolder("{SECRET}")
loader = DataLoader(photos, num_workers=0)  # for Ann
for batch in loader:
    pass
"""
UNSEEN = """\
from torch.utils.data import DataLoader
from shelf import make

loader = DataLoader(make("x"), batch_size=32)
"""


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "job"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("train.py").write_text(TRAIN)
    return "train.py"


def test_what_nobody_asked_for_is_not_counted(run: "Run", tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    record.write_text(run("check", "--quick", "--format", "json").stdout)
    report = json.loads(record.read_text())
    result = run("check", "--from", str(record))

    gaps = [skip for skip in report["skipped"] if skip["applicable"]]
    assert f"{len(report['healthy'])} healthy; {len(gaps)} could not be judged (" in result.stdout
    assert len(gaps) < len(report["healthy"]) < len(report["skipped"])
    reasons = {skip["reason"] for skip in report["skipped"] if not skip["applicable"]}
    assert "source: no PATHS with code given" in reasons
    assert "source: no PATHS with code given" not in result.stdout


def test_verbose_names_only_what_is_selected(run: "Run") -> None:
    result = run("check", "--quick", "--select", "PDR101,PDR712", "-v")

    assert "Not applicable: source: no PATHS with code given\n  PDR101" in result.stdout
    assert "not selected" not in result.stdout
    assert result.stdout.count("PDR") == 2


@pytest.mark.parametrize(
    ("code", "checks", "reason", "exit_code"),
    [
        (UNSEEN, "PDR101", "train.py:4: what loader does for an item is not in PATHS", 3),
        ("import torch\n", "PDR101,PDR301", "PATHS create no DataLoader", 0),
        ("print(1)\n", "PDR101", "PATHS hold no code that uses torch", 0),
    ],
)
def test_what_could_not_be_seen_is_not_healthy(
    run: "Run", train: str, code: str, checks: str, reason: str, exit_code: int
) -> None:
    Path(train).write_text(code)

    result = run("check", train, "--quick", "--select", checks, "--format", "json")

    report = json.loads(result.stdout)
    assert report["healthy"] == []
    assert reason in {skip["reason"] for skip in report["skipped"]}
    assert result.exit_code == exit_code


def test_lines_of_code_stand_under_their_finding(run: "Run", train: str) -> None:
    result = run("check", train, "--quick", "--select", "PDR101", "--no-redact")

    assert f'4 | photos = ImageFolder("{SECRET}")' in result.stdout
    assert "5 | loader = DataLoader(photos, num_workers=0)  # for Ann" in result.stdout
    assert "  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" in result.stdout


def test_strings_and_comments_of_that_code_leave_in_no_file(run: "Run", train: str) -> None:
    result = run("check", train, "--quick", "--select", "PDR101")

    assert 'photos = ImageFolder("..............")' in result.stdout
    assert SECRET not in result.stdout
    assert "Ann" not in result.stdout
    assert "  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n" in result.stdout, "columns stay"


@pytest.mark.usefixtures("train")
def test_a_cell_of_a_notebook_is_shown_as_well(run: "Run") -> None:
    cells = [{"cell_type": "code", "source": "x = 1\n"}, {"cell_type": "code", "source": TRAIN}]
    Path("work.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))

    result = run("check", "work.ipynb", "--quick", "--select", "PDR101")

    assert "5 | loader = DataLoader(photos, num_workers=0)" in result.stdout


def test_the_command_at_the_end_carries_the_job(run: "Run", train: str) -> None:
    options = ("--workers", "8", "--batch-bytes", "19M", "--ranks", "2", "--prefetch", "4")

    result = run("check", train, "--quick", "--select", "PDR101", *options)

    assert result.stdout.endswith(
        "$ pipedoctor fix num-workers-zero train.py --workers 8 --batch-bytes 19M"
        " --prefetch 4 --ranks 2 --unsafe\n"
    )


def test_statistics(run: "Run", train: str) -> None:
    result = run("check", train, "--quick", "--select", "PDR101", "--statistics")

    assert result.stdout == (
        "1  PDR101  num-workers-zero  [fix --unsafe]  Items are loaded in the training process\n"
    )
    wrong = run("check", train, "--statistics", "--format", "json")
    assert wrong.exit_code == 2
    assert wrong.stderr.splitlines()[-1].endswith("it cannot be combined with json")


@pytest.mark.parametrize(
    ("size", "text"),
    [(19 << 20, "19M"), (1 << 30, "1G"), (1536, "1536"), (3 << 10, "3K"), (0, "0")],
)
def test_a_size_is_handed_on_exactly(size: int, text: str) -> None:
    assert format_exact_size(size) == text
    assert parse_size(text) == size
