"""`check --measure` that somebody ends with Ctrl-C."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.actions.measure_target import format_refusal
from pipedoctor.tune.compare import variants
from pipedoctor.tune.search.tuning import Tuning
from tests.tune.scripted_search import done

Run = Callable[..., Result]
MEASURE = ("--quick", "--no-config", "--measure", "data.py:make")
WHY = "data.py:make: interrupted"


@pytest.fixture(params=[True, False], ids=["while it measures", "while it loads"])
def _ended(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    found = replace(done(), interrupted=True)

    def tuned(_order: Any) -> Tuning:
        if request.param:
            return found
        raise KeyboardInterrupt

    monkeypatch.setattr(variants, "tune_with_threads", tuned)


@pytest.mark.usefixtures("_ended")
def test_what_needs_no_measuring_is_reported_all_the_same(
    run: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (tmp_path / "train.py").write_text(
        "from torch.utils.data import DataLoader\nloader = DataLoader(data, 8)\n"
    )

    ended = run("check", *MEASURE, "--format", "json", "train.py")

    assert ended.exit_code == 130
    assert ended.stderr == snapshot
    report = json.loads(ended.stdout)
    assert report["facts"]["unknown"]["pipeline"] == WHY
    assert report["facts"]["known"]["source"]


@pytest.mark.usefixtures("_ended")
def test_a_report_for_a_ticket_is_written_all_the_same(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "report.json"

    ended = run("report", *MEASURE, "-o", str(out), "--no-keep")

    assert ended.exit_code == 130
    assert WHY in ended.stderr
    assert json.loads(out.read_text())["facts"]["unknown"]["pipeline"] == WHY


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("a.py:make: returned None", "--measure a.py:make: returned None"),
        ("a.py: no such file", "--measure a.py:make: a.py: no such file"),
    ],
)
def test_a_target_is_named_once(reason: str, said: str) -> None:
    assert format_refusal("a.py:make", reason) == said
