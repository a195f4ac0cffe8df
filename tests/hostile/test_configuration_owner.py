"""A configuration that others can write, or that is no regular file, is not read."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.cli.request.config_files import (
    ConfigError,
    ConfigFile,
    find_config,
    find_user_config,
)
from tests.hostile.conftest import STRANGER_ID, as_root

# --- whose file it is


def give_file(project: Path) -> None:
    os.chown(project / "pipedoctor.toml", STRANGER_ID, STRANGER_ID)


def give_folder(project: Path) -> None:
    os.chown(project, STRANGER_ID, STRANGER_ID)


def open_file(project: Path) -> None:
    (project / "pipedoctor.toml").chmod(0o666)


def open_folder(project: Path) -> None:
    project.chmod(0o777)


def open_to_a_group(project: Path) -> None:
    os.chown(project / "pipedoctor.toml", 0, STRANGER_ID)
    (project / "pipedoctor.toml").chmod(0o664)


def link_to_strangers(project: Path) -> None:
    theirs = project.parent / "theirs"
    theirs.mkdir()
    (project / "pipedoctor.toml").rename(theirs / "x.toml")
    os.chown(theirs / "x.toml", STRANGER_ID, STRANGER_ID)
    (project / "pipedoctor.toml").symlink_to(theirs / "x.toml")


def link_by_strangers(project: Path) -> None:
    """In a folder such as /tmp, where all may put links to the caller's own files."""
    mine = project.parent / "mine.toml"
    (project / "pipedoctor.toml").rename(mine)
    (project / "pipedoctor.toml").symlink_to(mine)
    os.lchown(project / "pipedoctor.toml", STRANGER_ID, STRANGER_ID)
    project.chmod(0o1777)


def link_through_strangers(project: Path) -> None:
    way = project.parent / "way"
    mine = project.parent / "mine"
    mine.mkdir()
    (project / "pipedoctor.toml").rename(mine / "x.toml")
    way.symlink_to(mine)
    os.lchown(way, STRANGER_ID, STRANGER_ID)
    (project / "pipedoctor.toml").symlink_to(way / "x.toml")


@as_root
@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (give_file, "it belongs to user id 54321"),
        (give_folder, "its folder {0} belongs to user id 54321"),
        (open_file, "others can write to it"),
        (open_folder, "others can write to its folder {0}"),
        (open_to_a_group, "others can write to it"),
        (link_to_strangers, "{1}/theirs/x.toml belongs to user id 54321"),
        (link_by_strangers, "it belongs to user id 54321"),
        (link_through_strangers, "{1}/way belongs to user id 54321"),
    ],
)
def test_what_others_can_write_is_not_obeyed(
    project: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None], reason: str
) -> None:
    (project.parent / "pipedoctor.toml").write_text("workers = 1\n")
    file = project / "pipedoctor.toml"
    file.write_text("workers = 7\n")
    spoil(project)
    below = project / "mine"
    below.mkdir()
    monkeypatch.chdir(below)

    why = f"{reason.format(project, project.parent)}; name the file with --config to obey it"
    assert find_config() == ConfigFile(path=str(file), origin="project", not_obeyed={"": why})
    assert find_config(str(file)).table == {"workers": 7}, "the user has named it"


@as_root
def test_a_folder_of_all_users_may_hold_a_file_of_ours(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pipedoctor.toml").write_text("workers = 7\n")
    project.chmod(0o1777)
    monkeypatch.chdir(project)

    assert find_config().table == {"workers": 7}


@as_root
def test_who_called_sudo_is_trusted_with_a_project_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "pipedoctor.toml").write_text("workers = 7\n")
    (project / "pipedoctor").mkdir()
    (project / "pipedoctor/config.toml").write_text("python = 'x'\n")
    give_file(project)
    give_folder(project)
    monkeypatch.chdir(project)
    monkeypatch.setenv("SUDO_UID", str(STRANGER_ID))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project))

    assert find_config().table == {"workers": 7}
    assert find_user_config().not_obeyed == {
        "": f"its folder {project} belongs to user id {STRANGER_ID}"
    }


@as_root
def test_other_users_read_what_root_has_written(project: Path) -> None:
    (project / "pipedoctor.toml").write_text("workers = 7\n")
    script = (
        "from pipedoctor.cli.request.config_files import find_config; print(find_config().table)"
    )
    rights = ("--inh-caps=-all,+dac_read_search", "--ambient-caps=+dac_read_search")
    switch = ("setpriv", f"--reuid={STRANGER_ID}", f"--regid={STRANGER_ID}", "--clear-groups")
    done = subprocess.run(
        [*switch, *rights, sys.executable, "-c", script],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "{'workers': 7}\n"


# --- what kind of file it is


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def link_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_pipe, link_zeros])
@pytest.mark.parametrize("name", ["pipedoctor.toml", "pyproject.toml"])
def test_only_regular_files_are_read(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    name: str,
) -> None:
    make(project / name)
    monkeypatch.chdir(project)

    assert set(find_config().not_obeyed) == {""}
    with pytest.raises(ConfigError, match=r"pi?y?p.*toml: not a regular file"):
        find_config(str(project / name))
