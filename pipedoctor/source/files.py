"""The Python files that a user's PATHS name; bounded, and nothing in them is run."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipedoctor.facts import Unreadable

MOST_FILES = 5000
MOST_BYTES = 50 << 20
LARGEST = 1 << 20
"""No training script is larger, and a syntax tree takes a hundred times as much."""
EXCLUDED = {
    ".eggs",
    ".git",
    ".hg",
    ".mypy_cache",
    ".nox",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "node_modules",
    "site-packages",
    "venv",
}
"""Folders below the given ones that hold nobody's training code."""


class Left(NamedTuple):
    """A file that was left out, and why."""

    path: str
    reason: str


class Source(NamedTuple):
    """One file, under the name by which the user would know it."""

    path: str
    text: bytes


def python_files(paths: Sequence[str]) -> Iterator[Source]:
    """
    Every given file, and every ``*.py`` below every given folder, each once.

    What is too large or cannot be read is left out, as is all that comes after
    `MOST_FILES` or `MOST_BYTES`. Raises Unreadable for a path that is not there.
    """
    for file in every_file(paths, (".py",)):
        if isinstance(file, Source):
            yield file


def every_file(
    paths: Sequence[str], endings: tuple[str, ...] = (".py", ".ipynb")
) -> Iterator[Source | Left]:
    """As `python_files`, and those that are left out with the reason."""
    require(paths)
    seen: set[tuple[int, int]] = set()
    left = MOST_BYTES
    for path in _candidates(paths, endings):
        text = _read(path, seen)
        if isinstance(text, str):
            if text:
                yield Left(path, text)
            continue
        left -= len(text)
        if left < 0 or len(seen) > MOST_FILES:
            bound = f"{MOST_FILES} files" if left >= 0 else f"{MOST_BYTES >> 20} MiB"
            yield Left(path, f"not read, nor any file after it: more than {bound}")
            return
        yield Source(path, text)


def require(paths: Sequence[str]) -> None:
    """Raise Unreadable for the first path that is neither file nor folder."""
    for path in paths:
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116  (a name with a null byte)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            message = f"{path}: {reason}"
            raise Unreadable(message) from None
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            message = f"{path}: neither a file nor a folder"
            raise Unreadable(message)


def _candidates(paths: Sequence[str], endings: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        if Path(path).is_dir():
            yield from _below(path, endings)
        else:
            yield path


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """In order of their names; links to folders are not followed, so no loop."""
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - EXCLUDED)
        for name in sorted(files):
            if name.endswith(endings):
                yield os.path.join(where, name)  # noqa: PTH118  (keeps a leading ./)


def _read(path: str, seen: set[tuple[int, int]]) -> bytes | str:
    """
    Read a regular file whole, or say why not; nothing to say: it was read before.

    Opened without waiting, for a pipe would wait for a writer for ever.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        return error.strerror or "cannot be opened"
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        key = (status.st_dev, status.st_ino)
        if key in seen:
            return ""
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"
        if status.st_size > LARGEST:
            return f"larger than {LARGEST >> 20} MiB"
        seen.add(key)
        try:
            return file.read(LARGEST)
        except OSError as error:
            return error.strerror or "cannot be read"
