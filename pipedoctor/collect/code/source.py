"""Training code as facts: read and taken apart, never imported, never run."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from pipedoctor.collect.code.code_facts import examine_projects, list_loader_calls
from pipedoctor.collect.code.code_path import format_path
from pipedoctor.collect.code.code_reading import LoaderCallStore, ReadingOptions
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import Source
from pipedoctor.facts.source import Skipped
from pipedoctor.facts.source_marks import Minimum
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_file, is_there
from pipedoctor.source.discover import files
from pipedoctor.source.discover.folders import OmittedPath
from pipedoctor.source.discover.merge import merge_sources
from pipedoctor.source.discover.projects import group_by_project
from pipedoctor.source.discover.without_gc import pause_gc
from pipedoctor.source.related_files import select_related_files

PARSING_SHARE = 0.6
"""Of the time, for reading and parsing; the rest is for making sense of it."""
_VERSION_FILES = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "requirements.txt",
    "environment.yml",
    "README.md",
)
_TORCH_VERSION = re.compile(
    r"(?<![\w-])(?:py)?torch[\"']?\s{0,4}(?:\[[^\]]{0,200}\]\s{0,4})?"
    r"(?:(?:>=|==|~=|=|v|version)\s{0,4})?(?:[\"']\s{0,4})?(\d+\.\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_PYTHON_VERSION = re.compile(
    r"(?:requires-python|python_requires|^[ \t]{0,8}python)\s{0,20}=\s{0,4}(?:[\"']\s{0,4})?"
    r"(?:>=|\^|~=)\s{0,4}(\d+\.\d+)",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_LEVELS = 3


class _PathNames:
    """Paths as they are shown: each folder is asked for once."""

    def __init__(self, code: Sequence[str]) -> None:
        self._code = code
        self._folders: dict[str, str] = {}

    def format(self, path: str) -> str:
        """By its folder; a file of PATHS by itself."""
        folder, name = os.path.split(path)
        if not folder or path in self._code:
            return escape_path(format_path(path, self._code))
        if folder not in self._folders:
            probe = format_path(os.path.join(folder, "x"), self._code)  # noqa: PTH118
            self._folders[folder] = escape_path(probe[:-1])
        return self._folders[folder] + escape_path(name)


def source(
    machine: Machine,
    code: Sequence[str],
    seconds: float,
    announce: Announce,
    reading: ReadingOptions = ReadingOptions(),  # noqa: B008  (frozen)
    call_store: LoaderCallStore | None = None,
) -> Source:
    """
    Read what PATHS name, and all that it imports from there; raises UnreadableError.

    What it sees of DataLoader on its way goes to `call_store`.
    """
    del machine
    announce(f"reading {', '.join(code) or 'stdin'}")
    until = time.monotonic() + seconds * PARSING_SHARE
    found: list[files.SourceFile] = []
    skipped: list[Skipped] = []
    given = [reading.stdin_source] if reading.stdin_source else []
    code = (*code, *(file.path for file in given))
    walked = files.find_source_files(
        code[: len(code) - len(given)],
        gitignore=reading.gitignore,
        exclude=reading.exclude,
    )
    with pause_gc():
        for file in (*given, *walked):
            if isinstance(file, OmittedPath):
                skipped.append(Skipped(path=format_path(file.path, code), reason=file.reason))
            else:
                found.append(file)
    announce("following calls and values")

    whole = Source(skipped=tuple(skipped))
    groups = group_by_project(found, code)
    known = examine_projects(groups, _PathNames(code).format, reading, until=until, seconds=seconds)
    if call_store is not None and all(one.complete for one in known):
        call_store.calls = list_loader_calls(found, groups, known)
    torch, python = find_minimums(code)
    parts = (one.facts for one in known)
    return replace(merge_sources([whole, *parts]), torch=torch, python=python)


def group_sources(
    code: Sequence[str], skipped_files: list[Skipped], reading: ReadingOptions
) -> Iterator[Iterator[files.SourceFile]]:
    """Group files that mention torch by project, with the files that they import."""
    found: list[files.SourceFile] = []
    every = files.find_source_files(code, gitignore=reading.gitignore, exclude=reading.exclude)
    for file in every:
        if isinstance(file, OmittedPath):
            skipped_files.append(Skipped(path=format_path(file.path, code), reason=file.reason))
        else:
            found.append(file)
    return map(select_related_files, group_by_project(found, code))


def find_minimums(code: Sequence[str]) -> tuple[Minimum | None, Minimum | None]:
    """Find the torch and Python versions that the project's files ask for."""
    torch: Minimum | None = None
    python: Minimum | None = None
    for folder in _iter_folders(code):
        for name in _VERSION_FILES:
            text = read_or_default(folder / name)[: 1 << 16]
            if torch is None and (found := _TORCH_VERSION.search(text)):
                torch = Minimum(version=found[1], told=name)
            if python is None and (found := _PYTHON_VERSION.search(text)):
                python = Minimum(version=found[1], told=name)
    return torch, python


def _iter_folders(code: Sequence[str]) -> Iterator[Path]:
    """Those of the arguments, and upwards to where a repository begins."""
    for one in code:
        folder = Path(one).absolute()
        for _ in range(_MAX_LEVELS):
            yield folder
            if is_there(folder / ".git") or is_file(folder / "pyproject.toml"):
                break
            folder = folder.parent
