"""Find the Python environment to examine, by its files alone."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pipedoctor.collect.environment.version_manager_shims import resolve_shim
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.facts import UnreadableError
from pipedoctor.runtime.path_kind import is_file, is_folder

_PYTHON_PATHS = ("bin/python", "bin/python3", "python.exe", "Scripts/python.exe")


_MAX_SETTINGS_BYTES = 64 << 10


class EnvironmentChoice(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said: an interpreter, an environment's folder, or nothing."""

    python: str = ""
    env: str = ""
    unreadable_reason: str = ""
    """Why the environment cannot be read from here at all."""


class EnvironmentPrefix(msgspec.Struct, frozen=True, kw_only=True):
    """An environment: its folder, its interpreter, and the one it was made from."""

    folder: Path
    executable: Path
    base: Path
    settings: Mapping[str, str]
    """pyvenv.cfg, in lower-case keys; empty when it is no virtual environment."""

    @property
    def is_virtual(self) -> bool:
        """Is it a virtual environment?"""
        return bool(self.settings)

    @property
    def is_conda(self) -> bool:
        """Did conda make it?"""
        return is_file(self.folder / "conda-meta" / "history")


def find_prefix(choice: EnvironmentChoice, environ: Mapping[str, str]) -> EnvironmentPrefix:
    """
    Find what the user named, else the active environment, else `python` on PATH.

    Raises UnreadableError when there is none.
    """
    if choice.unreadable_reason:
        raise UnreadableError(choice.unreadable_reason)
    if choice.env:
        return _load_folder(Path(choice.env), "--env")
    if choice.python:
        return _load_executable(_find_program(choice.python, environ), environ)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environ.get(variable):
            return _load_folder(Path(environ[variable]), variable)
    for name in ("python", "python3"):
        if found := _find_on_path(name, environ):
            return _load_executable(Path(found), environ)
    message = "no python on PATH, and neither --python nor --env given"
    raise UnreadableError(message)


def choose_for_process(machine: Machine) -> EnvironmentChoice:
    """
    Choose the interpreter that runs a live process, as its command line names it.

    The program behind /proc/PID/exe is no help: a virtual environment's link is
    resolved there. A process in another mount namespace has other files under the
    same names.
    """
    ours, theirs = Path("/proc/self/ns/mnt"), machine.process / "ns/mnt"
    if ours.readlink() != theirs.readlink():
        why = f"process {machine.pid} sees other mounts: run pipedoctor where it runs"
        return EnvironmentChoice(unreadable_reason=why)
    program = read_or_default(machine.process / "cmdline").partition("\0")[0]
    if not Path(program).name.startswith(("python", "pypy")):
        return EnvironmentChoice()
    if "/" in program:
        program = os.path.join(os.readlink(machine.process / "cwd"), program)  # noqa: PTH115, PTH118
    return EnvironmentChoice(python=program)


def _find_on_path(name: str, environ: Mapping[str, str]) -> str | None:
    import shutil  # noqa: PLC0415  (5 ms, and only a lane comes here)

    return shutil.which(name, path=environ.get("PATH", os.defpath))


def _find_program(name: str, environ: Mapping[str, str]) -> Path:
    found = _find_on_path(name, environ)
    if found is None:
        message = f"--python {name}: no such program"
        raise UnreadableError(message)
    if not any("py" in Path(path).name for path in (found, os.path.realpath(found))):
        message = f"--python {name}: no Python by its name"
        raise UnreadableError(message)
    return Path(found)


def _load_folder(folder: Path, named_by: str) -> EnvironmentPrefix:
    if not is_folder(folder):
        message = f"{named_by} {folder}: no such directory"
        raise UnreadableError(message)
    for name in _PYTHON_PATHS:
        if os.path.lexists(folder / name):
            return _build_prefix(folder, folder / name)
    message = f"{named_by} {folder}: no Python environment (no bin/python in it)"
    raise UnreadableError(message)


def _load_executable(executable: Path, environ: Mapping[str, str]) -> EnvironmentPrefix:
    """
    The folder above bin/, as `site` finds it: beside pyvenv.cfg, else at the real file.

    A version manager's shim is no interpreter: the one it stands for is looked up.
    """
    executable = executable.absolute()
    if executable.parent.name == "shims":
        executable = resolve_shim(executable, environ)
    if _read_settings(executable.parent.parent):
        return _build_prefix(executable.parent.parent, executable)
    real = Path(os.path.realpath(executable))
    return _build_prefix(real.parent.parent, real)


def _build_prefix(folder: Path, executable: Path) -> EnvironmentPrefix:
    settings = _read_settings(folder)
    home = settings.get("home")
    base = Path(home).parent if home else folder
    return EnvironmentPrefix(folder=folder, executable=executable, base=base, settings=settings)


def _read_settings(folder: Path) -> dict[str, str]:
    text = read_or_default(folder / "pyvenv.cfg", max_bytes=_MAX_SETTINGS_BYTES)
    pairs = re.findall(r"^\s*([\w-]+)\s*=\s*(.*?)\s*$", text, flags=re.MULTILINE)
    return {key.lower(): value for key, value in pairs}
