"""A configuration that is found is data of whoever wrote the project."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.cli.check_options import CheckOptions
from pipedoctor.cli.config_files import (
    PROJECT_KEYS,
    WITHHELD_KEYS,
    ConfigError,
    ConfigFile,
    find_config,
    find_user_config,
)
from pipedoctor.runtime.files import FILE_TIMEOUT
from tests.hostile.conftest import STRANGER_ID, Doctor, as_root

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
    script = "from pipedoctor.cli.config_files import find_config; print(find_config().table)"
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


# --- what the report says of it


def read_text(output: str) -> str:
    return " ".join(output.split())


def read_sarif(output: str) -> str:
    (run,) = json.loads(output)["runs"]
    notes = run["invocations"][0]["toolConfigurationNotifications"]
    return " ".join(note["message"]["text"] for note in notes)


def read_junit(output: str) -> str:
    pairs = ET.fromstring(output).iter("property")
    return " ".join(p.get("value", "") for p in pairs if p.get("name") == "configuration")


def read_markdown(output: str) -> str:
    return read_text(output).replace("\\", "")


@pytest.mark.parametrize(
    ("form", "read"),
    [
        ("text", read_text),
        ("markdown", read_markdown),
        ("html", read_text),
        ("sarif", read_sarif),
        ("junit", read_junit),
        ("github", read_text),
    ],
)
def test_every_format_names_the_configuration(
    doctor: Doctor, project: Path, form: str, read: Callable[[str], str]
) -> None:
    (project / "pipedoctor.toml").write_text(
        'python = "./x"\nworkers = 3\nignore = ["slow-storage"]\n[shm-too-small]\nheadroom = 1.0\n'
    )

    text = read(doctor(*QUICK, "--format", form).stdout)

    assert "silences or weighs findings" in text
    assert "slow-storage" in text
    assert "shm-too-small.headroom = 1.0" in text
    assert "workers = 3" in text
    assert "not obeyed: python (it names a program to run)" in text


def test_the_json_report_has_it_as_data(doctor: Doctor, project: Path, tmp_path: Path) -> None:
    (project / "pipedoctor.toml").write_text('env = "x"\nworkers = 3\nselect = ["slow-storage"]\n')
    own = tmp_path / "config/pipedoctor/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('workers = 5\nno-redact = true\n[[accept]]\nname="disk-full"\nreason="x"\n')
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    report = json.loads(doctor(*QUICK, "--format", "json", **environ).stdout)

    assert report["configuration"] == [
        {
            "path": str(own),
            "origin": "user",
            "obeyed": {"no-redact": "true", "accept": '["disk-full"]'},
            "silences": ["no-redact", "accept"],
            "not_obeyed": {},
        },
        {
            "path": str(project / "pipedoctor.toml"),
            "origin": "project",
            "obeyed": {"workers": "3"},
            "silences": [],
            "not_obeyed": {"env": "it names a program to run"},
        },
    ]


def test_its_own_text_is_harmless(doctor: Doctor, project: Path) -> None:
    (project / "pipedoctor.toml").write_text('python = "x"\nignore = ["\\u001b[2J\\u202e<b>"]\n')

    done = doctor("check", "--quick")

    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr


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
