"""Find the Python environment to examine, by its files alone."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.shims import behind
from pipedoctor.facts import Unreadable

_NAMES = ("bin/python", "bin/python3", "python.exe", "Scripts/python.exe")


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said: an interpreter, an environment's folder, or nothing."""

    python: str = ""
    env: str = ""
    elsewhere: str = ""
    """Why the environment cannot be read from here at all."""


class Prefix(msgspec.Struct, frozen=True, kw_only=True):
    """An environment: its folder, its interpreter, and the one it was made from."""

    folder: Path
    executable: Path
    base: Path
    settings: Mapping[str, str]
    """pyvenv.cfg, in lower-case keys; empty when it is no virtual environment."""

    @property
    def virtual(self) -> bool:
        """Is it a virtual environment?"""
        return bool(self.settings)

    @property
    def conda(self) -> bool:
        """Did conda make it?"""
        return (self.folder / "conda-meta" / "history").is_file()


def find(chosen: Chosen, environ: Mapping[str, str]) -> Prefix:
    """
    Choose as users expect: what they named, the active environment, `python` on PATH.

    Raises Unreadable when there is none.
    """
    if chosen.elsewhere:
        raise Unreadable(chosen.elsewhere)
    if chosen.env:
        return _of_folder(Path(chosen.env), "--env")
    if chosen.python:
        return _of_executable(_program(chosen.python, environ), environ)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environ.get(variable):
            return _of_folder(Path(environ[variable]), variable)
    for name in ("python", "python3"):
        if found := _which(name, environ):
            return _of_executable(Path(found), environ)
    message = "no python on PATH, and neither --python nor --env given"
    raise Unreadable(message)


def of_process(machine: Machine) -> Chosen:
    """
    The interpreter that runs a live process, as its command line names it.

    The program behind /proc/PID/exe is no help: a virtual environment's link is
    resolved there. A process in another mount namespace has other files under the
    same names.
    """
    ours, theirs = Path("/proc/self/ns/mnt"), machine.process / "ns/mnt"
    if ours.readlink() != theirs.readlink():
        why = f"process {machine.pid} sees other mounts: run pipedoctor where it runs"
        return Chosen(elsewhere=why)
    program = read_or(machine.process / "cmdline").partition("\0")[0]
    if not Path(program).name.startswith(("python", "pypy")):
        return Chosen()
    if "/" in program:
        program = os.path.join(os.readlink(machine.process / "cwd"), program)  # noqa: PTH115, PTH118
    return Chosen(python=program)


def _which(name: str, environ: Mapping[str, str]) -> str | None:
    import shutil  # noqa: PLC0415  (5 ms, and only a lane comes here)

    return shutil.which(name, path=environ.get("PATH", os.defpath))


def _program(name: str, environ: Mapping[str, str]) -> Path:
    found = _which(name, environ)
    if found is None:
        message = f"--python {name}: no such program"
        raise Unreadable(message)
    if not any("py" in Path(path).name for path in (found, os.path.realpath(found))):
        message = f"--python {name}: no Python by its name"
        raise Unreadable(message)
    return Path(found)


def _of_folder(folder: Path, named_by: str) -> Prefix:
    if not folder.is_dir():
        message = f"{named_by} {folder}: no such directory"
        raise Unreadable(message)
    for name in _NAMES:
        if os.path.lexists(folder / name):
            return _prefix(folder, folder / name)
    message = f"{named_by} {folder}: no Python environment (no bin/python in it)"
    raise Unreadable(message)


def _of_executable(executable: Path, environ: Mapping[str, str]) -> Prefix:
    """
    The folder above bin/, as `site` finds it: beside pyvenv.cfg, else at the real file.

    A version manager's shim is no interpreter: the one it stands for is looked up.
    """
    executable = executable.absolute()
    if executable.parent.name == "shims":
        executable = behind(executable, environ)
    if _settings(executable.parent.parent):
        return _prefix(executable.parent.parent, executable)
    real = Path(os.path.realpath(executable))
    return _prefix(real.parent.parent, real)


def _prefix(folder: Path, executable: Path) -> Prefix:
    settings = _settings(folder)
    home = settings.get("home")
    base = Path(home).parent if home else folder
    return Prefix(folder=folder, executable=executable, base=base, settings=settings)


def _settings(folder: Path) -> dict[str, str]:
    try:
        text = (folder / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    pairs = re.findall(r"^\s*([\w-]+)\s*=\s*(.*?)\s*$", text, flags=re.MULTILINE)
    return {key.lower(): value for key, value in pairs}
