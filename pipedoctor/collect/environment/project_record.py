"""Look for files that record the environment, around the code and where we are."""

import os
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.environment.environment_records import count_packages, detect_kind
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import ProjectRecord, RecordFile, UnreadableError
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_folder, is_there

_PROJECT_FILES = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "environment.yml",
    "environment.yaml",
    "requirements.txt",
    ".git",
)
_OWNER_BY_FILE = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile": "pipenv",
}
_MAX_FILE_BYTES = 8 << 20
_MAX_LEVELS = 12
"""Folders above the code that are looked into when no repository ends the way."""
_MAX_FILES = 50


def project_record(machine: Machine, code: tuple[str, ...], announce: Announce) -> ProjectRecord:
    """List record files from the code (else from here) up to the repository's root."""
    folders: dict[Path, None] = {}
    for start in code or (".",):
        path = _resolve_path(machine, start)
        announce(f"listing {path}")
        begin = path if is_folder(path) else path.parent
        folders.update(dict.fromkeys(_iter_parents(begin)))
    names = {folder: _list_names(folder, announce) for folder in folders}
    files = [
        _read_record_file(folder / name, kind)
        for folder, listed in names.items()
        for name in listed
        if (kind := detect_kind(name))
    ]
    there = {name for listed in names.values() for name in listed}
    owners = (owner for name, owner in _OWNER_BY_FILE.items() if name in there)
    return ProjectRecord(
        files=tuple(files[:_MAX_FILES]),
        looked_in=tuple(escape_path(str(folder)) for folder in folders),
        project=_name_project(code, there),
        owner=next(owners, "") or _find_tool_table(folders),
    )


def _resolve_path(machine: Machine, path: str) -> Path:
    try:
        if machine.pid is None:
            return Path(os.path.realpath(path))
        return Path(os.path.realpath(machine.map_path(str(Path.cwd() / path))))
    except OSError as error:
        message = f"the working directory: {error.strerror}"
        raise UnreadableError(message) from error


def _name_project(code: tuple[str, ...], names: set[str]) -> str:
    if code:
        return escape_path(code[0])
    return next((sign for sign in _PROJECT_FILES if sign in names), "")


def _iter_parents(folder: Path) -> Iterator[Path]:
    """The folder and those above it, up to the one that holds the repository."""
    yield folder
    if is_there(folder / ".git"):
        return
    above = list(folder.parents)[:_MAX_LEVELS]
    root = next((n for n, p in enumerate(above) if is_there(p / ".git")), None)
    yield from above[: root + 1] if root is not None else ()


def _list_names(folder: Path, announce: Announce) -> list[str]:
    announce(f"listing {folder}")
    try:
        return sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return []


def _read_record_file(path: Path, kind: str) -> RecordFile:
    pins, loose = count_packages(kind, _read_text(path))
    return RecordFile(path=escape_path(str(path)), kind=kind, pins=pins, loose=loose)


def _read_text(path: Path) -> str:
    try:
        data = regular_file.read_start(path, _MAX_FILE_BYTES)
    except OSError:
        return ""
    return data.decode("utf-8", errors="replace")


def _find_tool_table(folders: dict[Path, None]) -> str:
    """The tool whose table stands in a pyproject.toml."""
    for folder in folders:
        text = _read_text(folder / "pyproject.toml")
        for owner in ("poetry", "pdm", "uv"):
            if f"[tool.{owner}" in text:
                return owner
    return ""
