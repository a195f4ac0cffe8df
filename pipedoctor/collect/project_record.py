"""Look for files that record the environment, around the code and where we are."""

import os
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.records import count, kind_of
from pipedoctor.facts import ProjectRecord, RecordFile, Unreadable

_SIGNS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "environment.yml",
    "environment.yaml",
    "requirements.txt",
    ".git",
)
_OWNERS = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile": "pipenv",
}
_LARGEST = 8 << 20
_HIGHEST = 12
"""Folders above the code that are looked into when no repository ends the way."""
_MOST = 50


def project_record(
    machine: Machine, code: tuple[str, ...], announce: Announce
) -> ProjectRecord:
    """List record files from the code (else from here) up to the repository's root."""
    folders: dict[Path, None] = {}
    for start in code or (".",):
        path = _real(machine, start)
        announce(f"listing {path}")
        begin = path if path.is_dir() else path.parent
        folders.update(dict.fromkeys(_upward(begin)))
    names = {folder: _names(folder, announce) for folder in folders}
    files = [
        _file(folder / name, kind)
        for folder, listed in names.items()
        for name in listed
        if (kind := kind_of(name))
    ]
    there = {name for listed in names.values() for name in listed}
    owners = (owner for name, owner in _OWNERS.items() if name in there)
    return ProjectRecord(
        files=tuple(files[:_MOST]),
        looked_in=tuple(legible(str(folder)) for folder in folders),
        project=_project(code, there),
        owner=next(owners, "") or _table_of(folders),
    )


def _real(machine: Machine, path: str) -> Path:
    try:
        if machine.pid is None:
            return Path(os.path.realpath(path))
        return Path(os.path.realpath(machine.inside(str(Path.cwd() / path))))
    except OSError as error:
        message = f"the working directory: {error.strerror}"
        raise Unreadable(message) from error


def _project(code: tuple[str, ...], there: set[str]) -> str:
    if code:
        return legible(code[0])
    return next((sign for sign in _SIGNS if sign in there), "")


def _upward(folder: Path) -> Iterator[Path]:
    """The folder and those above it, up to the one that holds the repository."""
    yield folder
    if (folder / ".git").exists():
        return
    above = list(folder.parents)[:_HIGHEST]
    root = next((n for n, p in enumerate(above) if (p / ".git").exists()), None)
    yield from above[: root + 1] if root is not None else ()


def _names(folder: Path, announce: Announce) -> list[str]:
    announce(f"listing {folder}")
    try:
        return sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return []


def _file(path: Path, kind: str) -> RecordFile:
    pins, loose = count(kind, _text(path))
    return RecordFile(path=legible(str(path)), kind=kind, pins=pins, loose=loose)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _table_of(folders: dict[Path, None]) -> str:
    """The tool whose table stands in a pyproject.toml."""
    for folder in folders:
        text = _text(folder / "pyproject.toml")
        for owner in ("poetry", "pdm", "uv"):
            if f"[tool.{owner}" in text:
                return owner
    return ""
