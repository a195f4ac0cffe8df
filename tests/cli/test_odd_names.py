"""Files whose names are no UTF-8, given to every command that takes one."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ODD = os.fsdecode(b"b\xffad")
LOG = "RuntimeError: DataLoader worker (pid 4) is killed by signal: Bus error.\n"


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ODD
    folder.mkdir()
    (folder / "log").write_text(LOG)
    (folder / "train.py").write_text("import torch\n")
    return folder


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_explain(run: Run, odd: Path, form: str) -> None:
    done = run("explain", f"{ODD}/log", "--format", form)

    assert done.exit_code == 1, done.stderr
    assert "shm" in done.stdout
    assert odd.name not in done.stdout


def test_an_environment_that_is_none(run: Run, odd: Path) -> None:
    done = run("check", "--quick", "--env", odd.name)

    assert done.exit_code == 2
    assert "b\\xffad" in done.stderr
    assert "crashed" not in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit", "github"])
def test_check(run: Run, odd: Path, form: str) -> None:
    given = ("--data", odd.name, "--format", form, odd.name)
    done = run("check", "--quick", "--no-redact", "--select", "PDR7,PDR1", *given)

    assert done.exit_code in (0, 1), done.stderr
    done.stdout.encode()


@pytest.mark.extended
def test_a_bundle_in_such_a_folder(run: Run, odd: Path, record: str) -> None:
    name = f"{ODD}/{ODD}.zip"
    wrote = run("report", "--quick", "--no-redact", "--all", "-o", name, odd.name)
    back = run("check", "--from", name, "--format", "json")

    assert (wrote.exit_code, back.exit_code) == (0, 0), back.stderr
    assert json.loads(back.stdout)["schema"] == "pipedoctor.report/1"
    for form in ("text", "json", "markdown", "html"):
        done = run("diff", name, record, "--format", form)
        assert done.exit_code in (0, 1), done.stderr
        assert "b\\xffad.zip" in done.stdout.replace("\\\\", "\\")
