"""`fix` takes files and checks together; `check --fix` does what the report offers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from pipedoctor.cli.request.fix_targets import find_targets
from pipedoctor.cli.request.requests import FixCommandRequest
from pipedoctor.engine.catalogue import get_catalogue

if TYPE_CHECKING:
    from tests.cli.conftest import Run

TRAIN = """\
from torch.utils.data import DataLoader

loader = DataLoader(rows, num_workers=2, persistent_workers=True)
val_loader = DataLoader(rows, num_workers=0, persistent_workers=True)
"""
FIXED = TRAIN.replace(
    "num_workers=0, persistent_workers=True", "num_workers=0, persistent_workers=False"
)
NAME = "persistent-with-zero-workers"
Found = tuple[list[str], list[str], tuple[str, ...], bool]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    Path("train.py").write_text(TRAIN)
    return tmp_path


def _find(*names: str, **options: Any) -> Found:
    targets = find_targets(get_catalogue(), FixCommandRequest(names=names, budget=1, **options))
    return (
        [check.name for check in targets.checks],
        [check.name for check in targets.code_checks],
        targets.paths,
        targets.edits_code,
    )


TARGETS: list[tuple[tuple[str, ...], Found]] = [
    (("train.py",), ([], [], ("train.py",), True)),
    ((NAME, "train.py"), ([], [NAME], ("train.py",), True)),
    ((NAME,), ([], [NAME], (), True)),
    (("PDR104",), ([], [NAME], (), True)),
    (("shm-too-small",), (["shm-too-small"], [], (), False)),
    (("shm-too-small", "train.py"), (["shm-too-small"], [], ("train.py",), False)),
    (("shm-too-small", NAME, "."), (["shm-too-small"], [NAME], (".",), True)),
]


@pytest.mark.parametrize(("names", "found"), TARGETS)
def test_files_and_checks_are_told_apart(names: tuple[str, ...], found: Found) -> None:
    assert _find(*names) == found


def test_an_existing_file_wins_over_a_check() -> None:
    Path("shm-too-small").write_text(TRAIN)

    assert _find("shm-too-small") == ([], [], ("shm-too-small",), True)


def test_beside_a_size_a_file_tells_of_the_job_alone() -> None:
    assert _find("train.py", shm="5G") == ([], [], ("train.py",), False)


@pytest.mark.parametrize("name", ["shm-too-smal", "absent.py", "no/such/folder"])
def test_what_is_neither_is_refused(name: str) -> None:
    with pytest.raises(click.UsageError, match=name):
        _find(name)


@pytest.mark.slow
@pytest.mark.parametrize("names", [("train.py",), (NAME, "train.py"), (NAME,)])
def test_code_is_edited_without_more_ado(run: "Run", names: tuple[str, ...]) -> None:
    result = run("fix", *names, "--yes")

    assert "done and proved" in result.stdout
    assert Path("train.py").read_text() == FIXED
    assert run("fix", *names, "--yes").stdout.startswith("nothing to do")


def test_a_check_applies_what_it_marks(run: "Run") -> None:
    report = run("check", "train.py", "--quick", "--select", "PDR104")
    assert f"PDR104 {NAME} [fix] · train.py:4" in report.stdout
    assert report.stdout.endswith(f"\n$ pipedoctor fix {NAME} train.py\n")

    result = run("check", "train.py", "--quick", "--select", "PDR104", "--fix", "--yes")

    assert result.exit_code == 0
    assert "done and proved" in result.stdout
    assert Path("train.py").read_text() == FIXED


@pytest.mark.extended
def test_without_an_answer_nothing_is_changed(run: "Run") -> None:
    result = run("check", "train.py", "--quick", "--select", "PDR104", "--fix")

    assert result.exit_code == 1
    assert "no terminal to ask on" in result.stderr
    assert Path("train.py").read_text() == TRAIN


def test_what_is_left_decides_the_exit_code(run: "Run") -> None:
    Path("train.py").write_text(
        TRAIN + "\nfor row in DataLoader(rows, shuffle=True, sampler=draw):\n    print(row)\n"
    )

    result = run("check", "train.py", "--quick", "--select", "PDR104,PDR863", "--fix", "--yes")
    kept = run(
        "check", "train.py", "--quick", "--select", "PDR863", "--fix", "--yes", "--fail-on", "note"
    )

    assert result.exit_code == 0
    assert kept.exit_code == 1, "nothing that could be fixed"


@pytest.mark.parametrize("args", [("--yes",), ("--fix", "--from", "x.json"), ("--fix", "-")])
def test_options_that_do_not_go_together(run: "Run", args: tuple[str, ...]) -> None:
    result = run("check", *args)

    assert result.exit_code == 2
    assert result.stdout == ""
