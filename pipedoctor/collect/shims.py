"""
Which interpreter a version manager's shim stands for here: pyenv, asdf, mise.

A shim is a script, or a link to the manager; what it starts is said by a variable, by
a file in this folder or one above it, or by the user's own choice, in this order.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipedoctor.facts import Unreadable
from pipedoctor.versions import numbers

_HOMES = ("versions", "installs/python")
"""Where pyenv, and where the others, install what a shim stands for."""


def behind(shim: Path, environ: Mapping[str, str]) -> Path:
    """The program; raises Unreadable: what was asked for and is not there."""
    root = shim.parent.parent
    home = next((root / name for name in _HOMES if (root / name).is_dir()), None)
    asked: list[str] = []
    for version in _asked(root, environ) if home is not None else ():
        asked.append(version)
        if version == "system":
            found = _outside(shim, environ)
        else:
            assert home is not None  # noqa: S101  (else nothing is asked for)
            found = _newest(home, version, shim.name)
        if found is not None:
            return found
    said = f"{' and '.join(asked)} has no {shim.name}"
    why = said if asked else "nobody says which version"
    message = f"{shim} is a shim, but {why}: name the interpreter itself"
    raise Unreadable(message)


def _asked(root: Path, environ: Mapping[str, str]) -> Iterator[str]:
    """Versions in the order in which they are tried; empty: nobody says one."""
    own = (root / "versions").is_dir()
    variables = ("PYENV_VERSION",) if own else ("ASDF_PYTHON_VERSION", _MISE)
    for variable in variables:
        if named := environ.get(variable):
            yield from re.split(r"[:\s]+", named)
            return
    here = Path.cwd()
    name = ".python-version" if own else ".tool-versions"
    last = root / "version" if own else Path(environ.get("HOME", "/")) / name
    for file in (*(folder / name for folder in (here, *here.parents)), last):
        if named_here := list(_written(file)):
            yield from named_here
            return


_MISE = "MISE_PYTHON_VERSION"


def _written(file: Path) -> Iterator[str]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        words = line.partition("#")[0].split()
        if file.name != ".tool-versions":
            yield from words
        elif words[:1] == ["python"]:
            yield from words[1:]


def _newest(home: Path, version: str, name: str) -> Path | None:
    """The version, or the newest that begins so: ``3.11`` is 3.11.9."""
    folders = [home / version]
    if re.fullmatch(r"\d+(\.\d+)?", version) and not folders[0].exists():
        folders = sorted(
            home.glob(f"{version}.[0-9]*"), key=lambda folder: numbers(folder.name)
        )
    programs = (folder / "bin" / name for folder in reversed(folders))
    return next((program for program in programs if program.exists()), None)


def _outside(shim: Path, environ: Mapping[str, str]) -> Path | None:
    import shutil  # noqa: PLC0415  (5 ms, and only a lane comes here)

    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    others = os.pathsep.join(f for f in folders if f and Path(f) != shim.parent)
    found = shutil.which(shim.name, path=others)
    return Path(found) if found else None
