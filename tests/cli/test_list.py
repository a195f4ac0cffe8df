"""`pipedoctor list` and `explain`: the catalogue and its pages."""

import json
from collections.abc import Callable

import pytest
from click.testing import Result
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check.page import render_page
from pipedoctor.cli.terminal import output
from pipedoctor.engine.catalogue import get_catalogue

Run = Callable[..., Result]


def test_a_line_a_check(run: Run) -> None:
    result = run("list")

    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == len(get_catalogue().checks)
    (line,) = [line for line in lines if line.startswith("PDR701")]
    assert line.split(maxsplit=3) == [
        "PDR701",
        "shm-too-small",
        "fix",
        "/dev/shm is too small for the batches in flight (shm)",
    ]


@pytest.mark.parametrize("width", [40, 72, 100, 200])
def test_a_terminal_gets_no_longer_lines(
    run: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    plain = run("list").stdout

    def there(_: str | None) -> bool:
        return True

    monkeypatch.setattr(output, "is_terminal", there)
    monkeypatch.setenv("COLUMNS", str(width))
    shown = run("list").stdout

    assert max(map(len, shown.splitlines())) <= max(width, 60)
    assert "".join(shown.split()) == "".join(plain.split())


def test_as_json(run: Run) -> None:
    report = json.loads(run("list", "--format", "json").stdout)

    assert report["schema"] == "pipedoctor.checks/1"
    assert report["broken"] == []
    assert {
        "code": "PDR701",
        "name": "shm-too-small",
        "title": "/dev/shm is too small for the batches in flight",
        "needs": ["shm"],
        "can_fix": True,
        "pack": "pipedoctor",
    } in report["checks"]


@pytest.mark.parametrize(
    "name", ["PDR701", "pdr701", "shm-too-small", "SHM-TOO-SMALL", "shm_too_small"]
)
def test_a_page_by_any_of_its_names(run: Run, name: str) -> None:
    result = run("explain", name)

    assert result.exit_code == 0
    assert result.stdout == render_page(get_catalogue().checks["PDR701"])


def test_nobody_of_that_name(run: Run, snapshot: SnapshotAssertion) -> None:
    result = run("explain", "shm-to-small")

    assert result.exit_code == 2
    assert result.stderr == snapshot
