"""What a project says to a version manager chooses among installed versions, no more."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.collect.environment.version_manager_shims import resolve_shim
from pipedoctor.facts import UnreadableError
from tests.hostile.conftest import STRANGER_ID, Doctor, as_root


def write_program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture(params=["pyenv", "asdf"])
def shim(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    own = request.param == "pyenv"
    root = tmp_path / "manager"
    write_program(root / ("versions" if own else "installs/python") / "3.11.7/bin/python")
    return write_program(root / "shims/python")


def choose_version(shim: Path, project: Path, version: str) -> Path:
    own = (shim.parents[1] / "versions").is_dir()
    file = project / (".python-version" if own else ".tool-versions")
    file.write_text(version if own else f"python {version}\n")
    return file


@pytest.mark.parametrize("name", ["{0}", "../../../project", "3.11.7/../../../project", "./../x"])
def test_a_version_is_no_path(
    shim: Path, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write_program(project / "bin/python")
    choose_version(shim, project, name.format(project))
    monkeypatch.chdir(project)

    with pytest.raises(UnreadableError, match="not a version; name the interpreter"):
        resolve_shim(shim, {})


def test_a_version_with_a_folder_is_one(
    shim: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = next(p for p in shim.parents[1].iterdir() if p.name != "shims")
    home = home / "python" if home.name == "installs" else home
    program = write_program(home / "3.11.7/envs/train-1.0/bin/python")
    choose_version(shim, project, "3.11.7/envs/train-1.0")
    monkeypatch.chdir(project)

    assert resolve_shim(shim, {}) == program


def test_nothing_of_the_project_is_run(doctor: Doctor, project: Path, tmp_path: Path) -> None:
    ran = project / "ran"
    write_program(project / "bin/python", f"#!/bin/sh\ntouch {ran}\n")
    write_program(tmp_path / "pyenv/versions/3.11.7/bin/python")
    shim = write_program(tmp_path / "pyenv/shims/python")
    (project / ".python-version").write_text("../../project\n")

    done = doctor(
        *("check", "--select", "torch-not-importable", "--format", "json"),
        PATH=f"{shim.parent}:{os.environ['PATH']}",
        VIRTUAL_ENV="",
    )

    assert not ran.exists()
    assert "not a version" in done.stdout


def belongs_to_others(file: Path) -> None:
    os.chown(file, STRANGER_ID, STRANGER_ID)


def lies_with_others(file: Path) -> None:
    os.chown(file.parent, STRANGER_ID, STRANGER_ID)


def is_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def is_endless(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def is_large(file: Path) -> None:
    os.truncate(file, 1 << 30)


@as_root
@pytest.mark.parametrize(
    "spoil", [belongs_to_others, lies_with_others, is_a_pipe, is_endless, is_large]
)
def test_a_file_of_others_is_not_obeyed(
    shim: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None],
) -> None:
    file = choose_version(shim, project, "3.11.7")
    spoil(file)
    monkeypatch.chdir(project)

    with pytest.raises(UnreadableError, match=r"chooses the version of a shim, but .*not obeyed"):
        resolve_shim(shim, {})
