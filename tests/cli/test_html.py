"""`check --format html`: one file, and the same findings out of it again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
Start = Callable[..., Any]
MACHINES = sorted((Path(__file__).parents[1] / "machines").glob("*.json"))


def findings(result: Result) -> list[dict[str, object]]:
    assert result.exit_code in (0, 1), result.stderr
    found: list[dict[str, object]] = json.loads(result.stdout)["findings"]
    return found


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.stem)
def test_a_page_gives_the_same_findings(run: Run, tmp_path: Path, machine: Path) -> None:
    page = tmp_path / "page.html"
    as_json = ("--format", "json", "--fail-on", "never")

    run("check", "--from", str(machine), "--format", "html", "-o", str(page))

    assert page.read_text("utf-8").startswith("<!doctype html>")
    again = findings(run("check", "--from", str(page), *as_json))
    assert again == findings(run("check", "--from", str(machine), *as_json))


def test_it_goes_to_stdout_as_well_and_exits_like_every_format(run: Run, record: str) -> None:
    result = run("check", "--from", record, "--select", "PDR701", "--format", "html")

    assert result.exit_code == 1
    assert result.stdout.startswith("<!doctype html>")
    assert result.stdout.endswith("</html>\n")
    assert "1 finding breaks the job" in result.stdout


def test_a_page_is_utf_8_whatever_the_terminal(start: Start, tmp_path: Path) -> None:
    record = json.loads(MACHINES[0].read_text("utf-8"))
    record["facts"]["known"]["site"]["distribution"] = "Zürich Linux"
    (tmp_path / "x.json").write_text(json.dumps(record))
    (tmp_path / "y.json").write_text(json.dumps(record | {"created": "2026"}))

    for args in (("check", "--from", "x.json"), ("diff", "x.json", "y.json")):
        code_page = {"PYTHONIOENCODING": "cp1252"}
        done = start(*args, "--format", "html", env=code_page)
        assert "Zürich Linux" in done.stdout.decode("utf-8"), done.stderr


def test_this_machine(run: Run) -> None:
    result = run("check", "--quick", "--no-config", "--format", "html")

    assert result.exit_code in (0, 1), result.stderr
    assert "Open files of a process" in result.stdout
