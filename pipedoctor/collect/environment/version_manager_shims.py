"""
Which interpreter a version manager's shim stands for here: pyenv, asdf, mise.

A shim is a script, or a link to the manager; what it starts is said by a variable, by
a file in this folder or one above it, or by the user's own choice, in this order. Such a
file is data of whoever wrote the project: it may choose among installed versions, and
names no path. One that another user can write is not obeyed.
"""

import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from pipedoctor.facts import UnreadableError
from pipedoctor.runtime import file_trust, regular_file
from pipedoctor.runtime.files import describe_error
from pipedoctor.runtime.path_kind import is_folder
from pipedoctor.versions import parse_version

_INSTALL_FOLDERS = ("versions", "installs/python")
"""Where pyenv, and where the others, install what a shim stands for."""
_VERSION_NAME = re.compile(r"\w[\w.+-]*(?:/\w[\w.+-]*)*", re.ASCII)
"""``3.11``, ``pypy3.10-7.3``, ``3.11.4/envs/train``: never upward, never absolute."""
_MAX_VERSION_FILE_BYTES = 64 << 10
_MAX_VERSIONS = 32


def resolve_shim(shim: Path, environ: Mapping[str, str]) -> Path:
    """Return the program that a shim starts; raises UnreadableError."""
    root = shim.parent.parent
    home = next((root / name for name in _INSTALL_FOLDERS if is_folder(root / name)), None)
    asked: list[str] = []
    versions = _list_versions(root, environ) if home is not None else iter(())
    for version in islice(versions, _MAX_VERSIONS):
        asked.append(version)
        _require_version_name(shim, version)
        if version == "system":
            found = _find_outside_shims(shim, environ)
        else:
            assert home is not None  # noqa: S101  (else nothing is asked for)
            found = _find_newest(home, version, shim.name)
        if found is not None:
            return found
    missing = f"{' and '.join(asked)} has no {shim.name}"
    why = missing if asked else "no version is chosen"
    message = f"{shim} is a shim, but {why}: name the interpreter itself"
    raise UnreadableError(message)


def _require_version_name(shim: Path, version: str) -> None:
    if not _VERSION_NAME.fullmatch(version):
        message = f"{shim} is a shim, and what chooses its version says {version[:80]!r}"
        message += ": not a version; name the interpreter itself"
        raise UnreadableError(message)


def _list_versions(root: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """Versions in the order in which they are tried; empty: nobody says one."""
    own = is_folder(root / "versions")
    variables = ("PYENV_VERSION",) if own else ("ASDF_PYTHON_VERSION", _MISE_VARIABLE)
    for variable in variables:
        if named := environ.get(variable):
            yield from re.split(r"[:\s]+", named)
            return
    name = ".python-version" if own else ".tool-versions"
    last = root / "version" if own else Path(environ.get("HOME", "/")) / name
    for file in (*(folder / name for folder in _list_folders()), last):
        # The manager's own folder is as trusted as its shim, which PATH names.
        if named_here := list(_read_version_file(file, trusted=own and file == last)):
            yield from named_here
            return


def _list_folders() -> tuple[Path, ...]:
    """The working directory and those above it; none where it is gone."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return ()
    return (here, *here.parents)


_MISE_VARIABLE = "MISE_PYTHON_VERSION"


def _read_version_file(file: Path, *, trusted: bool) -> Iterator[str]:
    """The versions in a file; raises UnreadableError where others can write it."""
    try:
        users = file_trust.list_trusted_users(sudo=True)
        if trusted:
            data, reason = regular_file.read_whole(file, _MAX_VERSION_FILE_BYTES), ""
        else:
            data, reason = file_trust.read_judged(file, users, _MAX_VERSION_FILE_BYTES + 1)
        if len(data) > _MAX_VERSION_FILE_BYTES:
            raise regular_file.FileTooLargeError(file, _MAX_VERSION_FILE_BYTES)
    except regular_file.REFUSED_ERRORS as error:
        reason, data = f"it is {describe_error(error)}", b""
    except OSError:
        return
    if reason:
        message = f"{file} chooses the version of a shim, but {reason}: it is not obeyed;"
        message += " name the interpreter itself"
        raise UnreadableError(message)
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.partition("#")[0].split()
        if file.name != ".tool-versions":
            yield from words
        elif words[:1] == ["python"]:
            yield from words[1:]


def _find_newest(home: Path, version: str, name: str) -> Path | None:
    """The version, or the newest that begins so: ``3.11`` is 3.11.9."""
    folders = [home / version]
    if re.fullmatch(r"\d+(\.\d+)?", version) and not folders[0].exists():
        folders = sorted(
            home.glob(f"{version}.[0-9]*"),
            key=lambda folder: parse_version(folder.name),
        )
    programs = (folder / "bin" / name for folder in reversed(folders))
    return next((program for program in programs if program.exists()), None)


def _find_outside_shims(shim: Path, environ: Mapping[str, str]) -> Path | None:
    import shutil  # noqa: PLC0415  (5 ms, and only a lane comes here)

    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    others = os.pathsep.join(f for f in folders if f and Path(f) != shim.parent)
    found = shutil.which(shim.name, path=others)
    return Path(found) if found else None
