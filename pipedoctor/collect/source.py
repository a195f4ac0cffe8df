"""Training code as facts: read and taken apart, never imported, never run."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from pipedoctor.collect.code_facts import calls, examined
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.reading import Crossed, Reading
from pipedoctor.facts import Source
from pipedoctor.facts.source import Minimum, Skipped
from pipedoctor.source import files
from pipedoctor.source.examine import related
from pipedoctor.source.folders import Left
from pipedoctor.source.merge import merge
from pipedoctor.source.projects import projects

SHARE = 0.6
"""Of the time, for reading and parsing; the rest is for making sense of it."""
_RECORDS = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "requirements.txt",
    "environment.yml",
    "README.md",
)
_TORCH = re.compile(
    r"(?<![\w-])(?:py)?torch[\"']?\s*(?:\[[^\]]*\])?\s*(?:>=|==|~=|=|v|version)?\s*[\"']?"
    r"\s*(\d+\.\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_PYTHON = re.compile(
    r"(?:requires-python|python_requires|^\s*python)\s*=\s*[\"']?\s*(?:>=|\^|~=)\s*(\d+\.\d+)",
    re.IGNORECASE | re.MULTILINE,
)
_LEVELS = 3


def source(
    machine: Machine,
    code: Sequence[str],
    seconds: float,
    announce: Announce,
    reading: Reading = Reading(),  # noqa: B008  (frozen)
    crossed: Crossed | None = None,
) -> Source:
    """
    Read what PATHS name, and all that it imports from there; raises Unreadable.

    What it sees of DataLoader on its way goes to `crossed`.
    """
    del machine
    announce(f"reading {', '.join(code) or 'stdin'}")
    until = time.monotonic() + seconds * SHARE
    found: list[files.Source] = []
    skipped: list[Skipped] = []
    given = [reading.typed] if reading.typed else []
    code = (*code, *(file.path for file in given))
    walked = files.every_file(
        code[: len(code) - len(given)],
        gitignore=reading.gitignore,
        exclude=reading.exclude,
    )
    for file in (*given, *walked):
        if isinstance(file, Left):
            skipped.append(Skipped(path=shown(file.path, code), reason=file.reason))
        else:
            found.append(file)
    announce("following calls and values")

    def called(path: str) -> str:
        return legible(shown(path, code))

    whole = Source(skipped=tuple(skipped))
    groups = projects(found, code)
    known = examined(groups, called, reading, until=until, seconds=seconds)
    if crossed is not None and all(one.whole for one in known):
        crossed.calls = calls(found, groups, known)
    torch, python = minimums(code)
    parts = (one.facts for one in known)
    return replace(merge([whole, *parts]), torch=torch, python=python)


def wanted(
    code: Sequence[str], skipped: list[Skipped], reading: Reading
) -> Iterator[Iterator[files.Source]]:
    """Of each project files with a trace of torch, then those that they import."""
    found: list[files.Source] = []
    every = files.every_file(code, gitignore=reading.gitignore, exclude=reading.exclude)
    for file in every:
        if isinstance(file, Left):
            skipped.append(Skipped(path=shown(file.path, code), reason=file.reason))
        else:
            found.append(file)
    return map(related, projects(found, code))


def shown(path: str, code: Sequence[str]) -> str:
    """Relative to the working directory, else to the argument that it lies under."""
    here = os.getcwd()  # noqa: PTH109  (stays a text, whatever bytes it holds)
    full = os.path.abspath(path)  # noqa: PTH100
    if full.startswith(here.rstrip("/") + os.sep):
        return full[len(here.rstrip("/")) + 1 :].replace(os.sep, "/")
    for one in code:
        base = os.path.abspath(one)  # noqa: PTH100
        if full == base:
            return os.path.basename(full)  # noqa: PTH119
        if full.startswith(base.rstrip("/") + os.sep):
            return full[len(base.rstrip("/")) + 1 :].replace(os.sep, "/")
    return path.replace(os.sep, "/")


def minimums(code: Sequence[str]) -> tuple[Minimum | None, Minimum | None]:
    """What the files of the project say of the versions that it works with."""
    torch: Minimum | None = None
    python: Minimum | None = None
    for folder in _folders(code):
        for name in _RECORDS:
            text = read_or(folder / name)[: 1 << 16]
            if torch is None and (found := _TORCH.search(text)):
                torch = Minimum(version=found[1], told=name)
            if python is None and (found := _PYTHON.search(text)):
                python = Minimum(version=found[1], told=name)
    return torch, python


def _folders(code: Sequence[str]) -> Iterator[Path]:
    """Those of the arguments, and upwards to where a repository begins."""
    for one in code:
        folder = Path(one).absolute()
        for _ in range(_LEVELS):
            yield folder
            if (folder / ".git").exists() or (folder / "pyproject.toml").is_file():
                break
            folder = folder.parent
