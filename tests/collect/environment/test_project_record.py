"""Record files are looked for around the code, up to the repository, no further."""

import os
from pathlib import Path

import pytest

from pipedoctor.collect.environment.project_record import project_record
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import ProjectRecord, RecordFile


def look(*code: Path) -> ProjectRecord:
    return project_record(Machine(), tuple(map(str, code)), lambda _: None)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repository/project/code"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def test_a_bare_folder_is_no_project(here: Path) -> None:
    assert look() == ProjectRecord(looked_in=(str(here),))


@pytest.mark.parametrize("sign", ["pyproject.toml", "setup.py", ".git", "Pipfile"])
def test_signs_of_a_project(here: Path, sign: str) -> None:
    (here / sign).touch()

    assert look().project == sign


def test_code_is_a_project(here: Path) -> None:
    (here / "train.py").touch()

    seen = look(here / "train.py")

    assert seen.project == str(here / "train.py")
    assert seen.looked_in == (str(here),)


def test_up_to_the_repository(here: Path) -> None:
    (here.parents[1] / ".git").mkdir()
    (here.parents[1] / "uv.lock").write_text("[[package]]\n[[package]]\n")
    (here.parents[2] / "requirements.txt").write_text("numpy\n")
    (here / "requirements.txt").write_text("numpy==2.4.6\ntorch\n")

    seen = look(here)

    assert seen.looked_in == tuple(str(p) for p in (here, *here.parents[:2]))
    assert seen.files == (
        RecordFile(path=str(here / "requirements.txt"), kind="requirements", pins=1, loose=1),
        RecordFile(path=str(here.parents[1] / "uv.lock"), kind="uv.lock", pins=2, loose=0),
    )
    assert seen.owner == "uv"


def test_a_repository_ends_at_itself(here: Path) -> None:
    (here / ".git").mkdir()
    (here.parent / ".git").mkdir()

    assert look().looked_in == (str(here),)


@pytest.mark.parametrize("tool", ["poetry", "pdm", "uv"])
def test_the_tool_that_owns_a_project(here: Path, tool: str) -> None:
    (here / "pyproject.toml").write_text(f"[tool.{tool}]\n")

    assert look().owner == tool


@pytest.mark.parametrize(
    ("name", "tool"),
    [("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile", "pipenv")],
)
def test_the_tool_of_a_file(here: Path, name: str, tool: str) -> None:
    (here / name).touch()

    assert look().owner == tool


def test_what_cannot_be_read_names_nothing(here: Path) -> None:
    (here / "requirements.txt").mkdir()

    (file,) = look().files

    assert (file.pins, file.loose) == (0, 0)


def test_code_as_a_running_process_names_it(here: Path) -> None:
    (here / "uv.lock").write_text("[[package]]\n")
    machine = Machine(pid=os.getpid())

    seen = project_record(machine, (".",), lambda _: None)

    assert [file.kind for file in seen.files] == ["uv.lock"]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    assert look(tmp_path / "gone/train.py").files == ()
