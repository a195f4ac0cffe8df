"""Rooms import downward only, and the tool that says so would say otherwise."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pipedoctor
import pipedoctor_checks

RULES = Path(__file__).parents[1] / "pyproject.toml"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of both packages, to break."""
    for package in (pipedoctor, pipedoctor_checks):
        assert package.__file__
        home = Path(package.__file__).parent
        shutil.copytree(home, tmp_path / home.name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def lint(tree: Path) -> "subprocess.CompletedProcess[str]":
    program = Path(sys.executable).with_name("lint-imports")
    if not program.exists():
        pytest.skip("import-linter is not installed")
    return subprocess.run(
        [str(program), "--config", str(RULES), "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"},
        check=False,
        capture_output=True,
        text=True,
    )


def append(file: Path, line: str) -> None:
    file.write_text(f"{file.read_text('utf-8')}\n{line}\n", "utf-8")


@pytest.mark.slow
def test_every_contract_is_kept(tree: Path) -> None:
    done = lint(tree)

    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        pytest.param(
            "pipedoctor/facts/shm.py",
            "def late():\n    import pipedoctor.report.text",
            "pipedoctor.facts.shm -> pipedoctor.report.text",
            id="a lazy import upward",
        ),
        pytest.param(
            "pipedoctor/source/syntax/walk.py",
            "import pipedoctor.source.detect.item.images",
            "pipedoctor.source.syntax.walk -> pipedoctor.source.detect.item.images",
            id="syntax knows no detector",
        ),
        pytest.param(
            "pipedoctor_checks/gpu/gpu_throttled.py",
            "import pipedoctor_checks.cpu",
            "pipedoctor_checks.gpu.gpu_throttled -> pipedoctor_checks.cpu",
            id="a check of another family",
        ),
        pytest.param(
            "pipedoctor/engine/runner.py",
            "import pipedoctor_checks.cpu",
            "pipedoctor.engine.runner -> pipedoctor_checks.cpu",
            id="the engine knows a check",
        ),
    ],
)
def test_an_import_upward_is_found(tree: Path, file: str, line: str, broken: str) -> None:

    append(tree / file, line)

    done = lint(tree)

    assert done.returncode == 1
    assert broken in done.stdout
