"""A configuration that is found is data of whoever wrote the project."""

from pathlib import Path

import pytest

from pipedoctor.cli.request.check_options import CheckOptions
from pipedoctor.cli.request.config_files import (
    PROJECT_KEYS,
    WITHHELD_KEYS,
    find_config,
)
from pipedoctor.runtime.files import FILE_TIMEOUT
from tests.hostile.conftest import Doctor

QUICK = ("check", "--quick", "--select", "shm-too-small", "--fail-on", "never")


def write_program(folder: Path) -> tuple[Path, Path]:
    """A program called python, and the file that tells that somebody ran it."""
    ran = folder / "ran"
    program = folder / "bin/python"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    return program, ran


@pytest.mark.parametrize("key", ["python", "env"])
@pytest.mark.parametrize("command", ["check", "report"])
def test_a_project_names_no_program(doctor: Doctor, project: Path, key: str, command: str) -> None:
    program, ran = write_program(project)
    value = program if key == "python" else project
    (project / "pyproject.toml").write_text(f'[tool.pipedoctor]\n{key} = "{value}"\n')
    select = ("--select", "torch-not-importable")

    done = doctor(command, *select, *(("--copy", "--no-keep") if command == "report" else ()))

    assert not ran.exists()
    assert done.returncode in {0, 1, 3}
    why = f"{project}/pyproject.toml: not obeyed: {key} (it names a program to run)."
    assert done.stderr.count(why) == 1
    assert "not obeyed" in done.stdout, "the report says so as well"


def test_the_user_and_the_command_line_do(doctor: Doctor, project: Path, tmp_path: Path) -> None:
    program, ran = write_program(tmp_path / "mine")
    own = tmp_path / "home/.config/pipedoctor/config.toml"
    own.parent.mkdir(parents=True)
    select = ("check", "--select", "torch-not-importable", "--fail-on", "never")

    own.write_text(f'python = "{program}"\n')
    by_user = doctor(*select, "--format", "json")
    own_ran, own_config = ran.exists(), "config.toml" in by_user.stdout
    ran.unlink(missing_ok=True)
    own.unlink()
    named = project / "named.toml"
    named.write_text(f'python = "{program}"\n')
    doctor(*select, "--config", str(named))

    assert own_ran
    assert own_config
    assert ran.exists()


def test_every_option_is_either_a_projects_or_withheld() -> None:
    """A new option must be thought about before a stranger may set it."""
    assert PROJECT_KEYS.isdisjoint(WITHHELD_KEYS)
    assert PROJECT_KEYS | set(WITHHELD_KEYS) == set(CheckOptions.__struct_encode_fields__)


@pytest.mark.parametrize("key", ["no-redact", "keep"])
def test_nothing_is_left_unredacted_or_saved(
    project: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    (project / "pipedoctor.toml").write_text(f"{key} = true\nworkers = 2\n")
    monkeypatch.chdir(project)

    found = find_config()

    assert found.table == {"workers": 2}
    assert set(found.not_obeyed) == {key}


@pytest.mark.parametrize("key", ["data", "baseline"])
@pytest.mark.parametrize(
    ("name", "obeyed"),
    [
        ("sets/a", True),
        (".", True),
        ("..", False),
        ("/etc", False),
        ("../project-2/a", False),
        ("sets/../../x", False),
        ("out", False),
        ("out/passwd", False),
        ("in", True),
    ],
)
def test_paths_stay_below_the_file(
    project: Path, monkeypatch: pytest.MonkeyPatch, key: str, name: str, obeyed: bool
) -> None:
    (project / "sets").mkdir()
    (project / "out").symlink_to("/etc")
    (project / "in").symlink_to("sets")
    (project / "pipedoctor.toml").write_text(f'{key} = "{name}"\n')
    monkeypatch.chdir(project)

    found = find_config()

    assert (key in found.table) is obeyed
    assert (key in found.not_obeyed) is not obeyed


def test_one_path_of_a_list_is_enough(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pipedoctor.toml").write_text('data = ["a", "/etc"]\n')
    monkeypatch.chdir(project)

    assert find_config().not_obeyed == {"data": f"/etc is not below {project}"}


@pytest.mark.parametrize("deadline", ["1e300", "inf", "601"])
def test_a_project_neither_stops_the_clock_nor_starts_thousands(
    project: Path, monkeypatch: pytest.MonkeyPatch, deadline: str
) -> None:
    (project / "pipedoctor.toml").write_text(f"deadline = {deadline}\njobs = 65536\n")
    monkeypatch.chdir(project)

    found = find_config()

    assert found.table == {}
    assert found.not_obeyed == {"deadline": "more than 600", "jobs": "more than 64"}


@pytest.mark.extended
def test_a_file_that_never_ends_parsing_is_left(doctor: Doctor, project: Path) -> None:
    """A key of 300,000 parts keeps a parser busy for minutes."""
    (project / "pipedoctor.toml").write_text(f"{'.'.join(['a'] * 300_000)} = 1\n")

    done = doctor(*QUICK)

    assert done.returncode in {0, 2}
    assert len(done.stderr.splitlines()) == 1
    assert FILE_TIMEOUT < 5


@pytest.mark.parametrize(
    "text",
    [
        "[shm-too-small]\nheadroom = nan\n",
        "deadline = nan\n",
        "jobs = 99999999999999999999\n",
        "accept = [{name = 99999999999999999999}]\n",
        f"x = {'[' * 2000}{']' * 2000}\n",
        f"workers = {'9' * 5000}\n",
        'select = ["\\u0000"]\n',
        'exclude = ["' + "*a" * 400 + 'b"]\n',
    ],
)
def test_odd_values_are_one_line(doctor: Doctor, project: Path, text: str) -> None:
    (project / "pipedoctor.toml").write_text(text)

    done = doctor("check", "--quick", "--fail-on", "never", str(project))

    assert done.returncode in {0, 2}
    assert len(done.stderr.splitlines()) == (done.returncode == 2)
    assert "crashed" not in done.stderr


def test_no_config_reads_none(doctor: Doctor, project: Path, tmp_path: Path) -> None:
    own = tmp_path / "home/.config/pipedoctor/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("wrong = 1\n")
    (project / "pipedoctor.toml").write_text("wrong = 1\n")

    assert doctor(*QUICK, "--no-config").returncode == 0
    assert doctor(*QUICK).returncode == 2


def test_modules_of_the_project_are_not_imported(program: Doctor, project: Path) -> None:
    """``python -m`` puts the working directory first."""
    for name in ("click", "msgspec", "signal", "tomllib"):
        (project / f"{name}.py").write_text(f"open('{project}/ran', 'w')\n")

    done = program("list")

    assert done.returncode == 0
    assert not (project / "ran").exists()
