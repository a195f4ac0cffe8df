"""A shim stands for the interpreter that its version manager would start."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.collect.environment.prefix import EnvironmentChoice, find_prefix
from pipedoctor.collect.environment.version_manager_shims import resolve_shim
from pipedoctor.facts import UnreadableError

Install = Callable[..., None]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project/deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder.parent


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def pyenv(tmp_path: Path) -> Path:
    root = tmp_path / "pyenv"
    for version in ("3.9.9", "3.9.18", "3.11.7"):
        for name in ("python", f"python{version.rpartition('.')[0]}"):
            program(root / "versions" / version / "bin" / name)
    for name in ("python", "python3.9", "python3.11"):
        program(root / "shims" / name)
    (root / "version").write_text("3.11.7\n")
    return root


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("said", "version"),
    [
        pytest.param("3.9.9", "3.9.9", id="exactly"),
        pytest.param("3.9", "3.9.18", id="the-newest-of-a-series"),
        pytest.param("absent:3.9.9", "3.9.9", id="the-first-that-is-there"),
        pytest.param("", "3.11.7", id="nothing"),
    ],
)
def test_variable(pyenv: Path, said: str, version: str) -> None:
    seen = resolve_shim(pyenv / "shims/python", {"PYENV_VERSION": said})

    assert seen == pyenv / f"versions/{version}/bin/python"


def test_file_of_the_project_comes_before_the_users(pyenv: Path, project: Path) -> None:
    (project / ".python-version").write_text("# ours\n3.9.18  # not the newest\n")

    assert resolve_shim(pyenv / "shims/python", {}).parts[-3] == "3.9.18"

    (project / "deep/.python-version").write_text("3.9.9\n3.11.7\n")

    assert resolve_shim(pyenv / "shims/python", {}).parts[-3] == "3.9.9"
    assert resolve_shim(pyenv / "shims/python3.11", {}).parts[-3] == "3.11.7"


def test_without_a_working_directory_the_users_version_counts(pyenv: Path, project: Path) -> None:
    (project / "deep").rmdir()

    assert resolve_shim(pyenv / "shims/python", {}).parts[-3] == "3.11.7"


@pytest.mark.usefixtures("project")
def test_another_version_is_not_taken_for_the_one_that_was_asked(pyenv: Path) -> None:
    with pytest.raises(UnreadableError, match=r"but 3\.11\.7 has no python3\.9: name"):
        resolve_shim(pyenv / "shims/python3.9", {})


@pytest.mark.usefixtures("project")
def test_nobody_says(pyenv: Path) -> None:
    (pyenv / "version").unlink()

    with pytest.raises(UnreadableError, match="is a shim, but no version is chosen: name"):
        resolve_shim(pyenv / "shims/python", {})


@pytest.mark.usefixtures("project")
def test_system_is_what_comes_behind_the_shims(pyenv: Path, tmp_path: Path) -> None:
    (pyenv / "version").write_text("system\n")
    own = program(tmp_path / "usr/bin/python")

    path = f"{pyenv / 'shims'}:{own.parent}"

    assert resolve_shim(pyenv / "shims/python", {"PATH": path}) == own


@pytest.mark.usefixtures("project")
def test_virtual_environment_of_a_manager_is_one(pyenv: Path) -> None:
    home = pyenv / "versions/3.9.9"
    (home / "envs/mine/bin").mkdir(parents=True)
    (home / "envs/mine/bin/python").symlink_to(home / "bin/python")
    (home / "envs/mine/pyvenv.cfg").write_text(f"home = {home / 'bin'}\n")
    (pyenv / "versions/mine").symlink_to(home / "envs/mine")
    (pyenv / "version").write_text("mine\n")

    seen = find_prefix(EnvironmentChoice(), {"PATH": str(pyenv / "shims")})

    assert seen.is_virtual
    assert (seen.folder, seen.base) == (pyenv / "versions/mine", home)


def test_other_managers(tmp_path: Path, project: Path) -> None:
    root = tmp_path / "asdf"
    shim = program(root / "shims/python")
    for version in ("3.10.1", "3.12.2"):
        program(root / "installs/python" / version / "bin/python")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".tool-versions").write_text("nodejs 20\npython 3.12.2\n")
    environ = {"HOME": str(home)}

    assert resolve_shim(shim, environ).parts[-3] == "3.12.2"

    (project / ".tool-versions").write_text("python 3.10.1 3.12.2\n")

    assert resolve_shim(shim, environ).parts[-3] == "3.10.1"
    assert resolve_shim(shim, {"MISE_PYTHON_VERSION": "3.12"}).parts[-3] == "3.12.2"


def test_shims_of_nobody_known(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no version is chosen"):
        resolve_shim(program(tmp_path / "odd/shims/python"), {})
