"""Environments are described from their files, whatever made them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.prefix import EnvironmentChoice, choose_for_process, find_prefix
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Interpreter, UnreadableError

SITE = "lib/python3.11/site-packages"


def quiet(_doing: str) -> None:
    """Nobody watches."""


def examine(chosen: EnvironmentChoice, **environ: str) -> Interpreter:
    return interpreter(Machine(environ=environ), chosen, quiet)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    (folder / SITE).mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "lib/python3.11/os.py").touch()
    program = folder / "bin/python3.11"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (folder / "bin/python").symlink_to("python3.11")
    header = folder / "include/python3.11/patchlevel.h"
    header.parent.mkdir(parents=True)
    header.write_text('#define PY_VERSION      \t"3.11.9"\n')
    return folder


@pytest.fixture
def venv(tmp_path: Path, base: Path) -> Path:
    folder = tmp_path / "venv"
    (folder / SITE).mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(base / "bin/python3.11")
    lines = (f"home = {base / 'bin'}", "include-system-site-packages = false")
    (folder / "pyvenv.cfg").write_text("\n".join(lines) + "\n")
    return folder


def test_python_2_tells_its_release(base: Path) -> None:
    for name in ("include", "lib"):
        (base / f"{name}/python3.11").rename(base / f"{name}/python2.7")
    header = base / "include/python2.7/patchlevel.h"
    header.write_text('#define PY_VERSION      \t"2.7.18"\n')

    seen = examine(EnvironmentChoice(python=str(base / "bin/python")))

    assert seen.version == "2.7.18"
    assert str(base / "lib/python2.7/site-packages") in seen.path


def test_system_interpreter(base: Path) -> None:
    seen = examine(EnvironmentChoice(python=str(base / "bin/python")))

    assert (seen.version, seen.kind, seen.manager) == ("3.11.9", "system", "pip")
    assert seen.prefix == seen.base_prefix == str(base)
    assert seen.path == tuple(
        str(base / name) for name in ("lib/python3.11", "lib/python3.11/lib-dynload", SITE)
    )
    assert not seen.externally_managed


def test_debian_manages_its_own(base: Path) -> None:
    (base / "lib/python3.11/EXTERNALLY-MANAGED").touch()
    (base / "lib/python3/dist-packages").mkdir(parents=True)

    seen = examine(EnvironmentChoice(python=str(base / "bin/python")))

    assert seen.externally_managed
    assert seen.path[-1] == str(base / "lib/python3/dist-packages")


def test_virtual_environment_by_folder_by_program_and_by_activation(venv: Path) -> None:
    by_folder = examine(EnvironmentChoice(env=str(venv)))

    assert by_folder == examine(EnvironmentChoice(python=str(venv / "bin/python")))
    assert by_folder == examine(EnvironmentChoice(), VIRTUAL_ENV=str(venv), PATH="/nowhere")
    assert by_folder == examine(EnvironmentChoice(), PATH=str(venv / "bin"))
    assert by_folder.kind == "venv"
    assert by_folder.prefix == str(venv)
    assert by_folder.path[-1] == str(venv / SITE)


@pytest.mark.parametrize(("line", "manager"), [("uv = 0.9.2", "uv"), ("prompt = x", "pip")])
def test_who_made_it(venv: Path, line: str, manager: str) -> None:
    with (venv / "pyvenv.cfg").open("a") as file:
        file.write(f"{line}\nversion_info = 3.11.4\n")

    seen = examine(EnvironmentChoice(env=str(venv)))

    assert (seen.manager, seen.version) == (manager, "3.11.4")


def test_conda_environment(base: Path) -> None:
    (base / "conda-meta").mkdir()
    (base / "conda-meta/history").touch()
    (base / "conda-meta/python-3.11.8-hab00c5b_0_cpython.json").touch()

    seen = examine(EnvironmentChoice(), CONDA_PREFIX=str(base))

    assert (seen.kind, seen.manager, seen.version) == ("conda", "conda", "3.11.8")


def test_user_site_reaches_the_system_but_no_venv(tmp_path: Path, base: Path, venv: Path) -> None:
    mine = tmp_path / ".local" / SITE
    mine.mkdir(parents=True)
    system = EnvironmentChoice(env=str(base))

    assert examine(system, HOME=str(tmp_path)).user_site == str(mine)
    assert examine(system, HOME=str(tmp_path)).path[2] == str(mine)
    assert not examine(system, HOME=str(tmp_path), PYTHONNOUSERSITE="1").user_site
    assert not examine(EnvironmentChoice(env=str(venv)), HOME=str(tmp_path)).user_site
    assert not examine(system).user_site


def test_shared_venv_sees_its_base(tmp_path: Path, base: Path, venv: Path) -> None:
    text = (venv / "pyvenv.cfg").read_text().replace("= false", "= true")
    (venv / "pyvenv.cfg").write_text(text)
    (tmp_path / ".local" / SITE).mkdir(parents=True)

    seen = examine(EnvironmentChoice(env=str(venv)), HOME=str(tmp_path))

    assert seen.path[-1] == str(base / SITE)
    assert seen.user_site


def test_pythonpath_comes_first_and_pth_files_add(tmp_path: Path, venv: Path) -> None:
    (tmp_path / "project").mkdir()
    lines = (str(tmp_path / "project"), "# no", "import evil", "/nonexistent", "")
    (venv / SITE / "x.pth").write_text("\n".join(lines))

    seen = examine(EnvironmentChoice(env=str(venv)), PYTHONPATH=f"/a{os.pathsep}{os.pathsep}/b")

    assert seen.pythonpath == ("/a", "/b")
    assert seen.path[:2] == ("/a", "/b")
    assert seen.path[-2:] == (str(venv / SITE), str(tmp_path / "project"))


def test_shim_of_pyenv_leads_to_its_version(tmp_path: Path, base: Path) -> None:
    (tmp_path / "shims").mkdir()
    shim = tmp_path / "shims/python"
    shim.write_text("#!/bin/sh\n")
    shim.chmod(0o755)
    (tmp_path / "versions").mkdir()
    base.rename(tmp_path / "versions/3.11.9")
    (tmp_path / "version").write_text("3.11.9\n")

    seen = examine(EnvironmentChoice(), PATH=str(tmp_path / "shims"))

    assert seen.prefix == str(tmp_path / "versions/3.11.9")

    (tmp_path / "version").write_text("system\n")
    with pytest.raises(UnreadableError, match="a shim, but system has no python: name"):
        examine(EnvironmentChoice(python=str(shim)))


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        (
            EnvironmentChoice(env="/nonexistent"),
            "--env /nonexistent: no such directory",
        ),
        (EnvironmentChoice(env="/" + "x" * 5000), "no such directory"),
        (EnvironmentChoice(env="/proc"), "no Python environment"),
        (
            EnvironmentChoice(python="/nonexistent"),
            "--python /nonexistent: no such program",
        ),
        (
            EnvironmentChoice(python="/bin/sh"),
            "--python /bin/sh: no Python by its name",
        ),
        (EnvironmentChoice(), "no python on PATH"),
    ],
)
def test_nothing_there(chosen: EnvironmentChoice, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        find_prefix(chosen, {"PATH": "/nowhere"})


def test_running_process_names_its_own_interpreter(venv: Path) -> None:
    """The link in the environment counts, not the file behind it."""
    program = venv / "bin/python"
    program.unlink()
    program.symlink_to(sys.executable)
    with subprocess.Popen(
        ["bin/python", "-c", "print(flush=True); input()"],
        cwd=venv,
        env={"PYTHONHOME": sys.base_prefix},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as job:
        try:
            assert job.stdout is not None
            assert job.stdout.readline() == b"\n"  # until it has begun, it has no name
            chosen = choose_for_process(Machine(pid=job.pid))
        finally:
            job.communicate(b"\n")

    assert chosen == EnvironmentChoice(python=str(program))
    assert find_prefix(chosen, {}).folder == venv


def test_running_process_that_is_no_python() -> None:
    with subprocess.Popen(["sleep", "60"]) as job:
        try:
            assert choose_for_process(Machine(pid=job.pid)) == EnvironmentChoice()
        finally:
            job.kill()


@pytest.mark.root
def test_running_process_with_other_mounts() -> None:
    with subprocess.Popen(
        ["unshare", "-m", "sh", "-c", "echo up; exec sleep 60"], stdout=subprocess.PIPE
    ) as job:
        try:
            assert job.stdout is not None
            job.stdout.readline()
            chosen = choose_for_process(Machine(pid=job.pid))
        finally:
            job.kill()

    with pytest.raises(UnreadableError, match=f"process {job.pid} sees other mounts"):
        find_prefix(chosen, {})


def test_version_of_a_bare_interpreter_is_what_its_name_tells(base: Path) -> None:
    (base / "include/python3.11/patchlevel.h").unlink()
    chosen = EnvironmentChoice(python=str(base / "bin/python"))

    assert examine(chosen).version == "3.11"

    (base / "bin/python3.11").rename(base / "bin/snake")
    (base / "bin/python").unlink()
    (base / "bin/python").symlink_to("snake")
    assert examine(chosen).version == "3.11"


def test_this_interpreter_agrees() -> None:
    """What the files tell is what the running interpreter knows of itself."""
    seen = interpreter(Machine(), EnvironmentChoice(python=sys.executable), quiet)
    code = "import sys; print(*sys.path[1:], sep='\\n')"
    told = subprocess.check_output([sys.executable, "-c", code], text=True)
    real = [entry for entry in told.splitlines() if not entry.endswith(".zip")]

    assert seen.version == sys.version.split()[0]
    assert seen.prefix == sys.prefix
    assert seen.base_prefix == sys.base_prefix
    assert [entry for entry in seen.path if entry in real] == [
        entry for entry in real if entry in seen.path
    ]
    assert set(seen.path) <= set(real)


def test_a_user_site_that_may_not_be_looked_at_is_none(base: Path) -> None:
    """A name that is too long stands for a folder of another user: root may look into all."""
    found = examine(
        EnvironmentChoice(python=str(base / "bin/python")), PYTHONUSERBASE=f"/{'a' * 300}"
    )

    assert found.user_site == ""
