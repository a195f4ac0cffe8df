"""What lies below a folder that may be code: bounded, and never twice."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.patterns import matches
from pipedoctor.source.gitignore import Ignored

EXCLUDED = {
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
}
"""Folders below the given ones that hold nobody's training code."""
DEFAULT = tuple(sorted(EXCLUDED))


class Left(NamedTuple):
    """A file or folder that was left out, and why."""

    path: str
    reason: str


def below(
    folder: str,
    endings: tuple[str, ...],
    *,
    gitignore: bool,
    exclude: tuple[str, ...] = DEFAULT,
) -> Iterator[str | Left]:
    """
    Files with these endings in order of their names; folders that cannot be read.

    Links to folders are not followed, so there is no loop. What `exclude` matches is
    left out, by its path from `folder` or as it would be shown.
    """
    names, patterns = _plain(exclude)
    ignored = Ignored(folder) if gitignore else None
    failed: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=failed.append):
        yield from _told(failed)
        kept = sorted(set(folders) - names)
        folders[:] = [
            name
            for name in kept
            if _wanted(where, name, ignored)
            and not _excluded(folder, where, name, patterns)
        ]
        for name in sorted(files):
            if name.endswith(endings) and name not in names:
                path = os.path.join(where, name)  # noqa: PTH118  (keeps a leading ./)
                if _excluded(folder, where, name, patterns):
                    continue
                if ignored is None or not ignored.leaves_out(path, folder=False):
                    yield path
    yield from _told(failed)


def _plain(exclude: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """Names, which are quickly looked up, and patterns, which are not."""
    patterns = [one for one in exclude if set(one) & set("*?[/!")]
    return set(exclude) - set(patterns), patterns


def _excluded(top: str, where: str, name: str, patterns: list[str]) -> bool:
    if not patterns:
        return False
    path = os.path.join(where, name)  # noqa: PTH118
    below_top = os.path.relpath(path, top).replace(os.sep, "/")
    shown = os.path.normpath(path).replace(os.sep, "/")
    return any(matches(one, below_top) or matches(one, shown) for one in patterns)


def _wanted(where: str, name: str, ignored: Ignored | None) -> bool:
    """A folder that is no environment of Python and that git knows of."""
    path = os.path.join(where, name)  # noqa: PTH118
    if os.path.exists(os.path.join(path, "pyvenv.cfg")):  # noqa: PTH110, PTH118
        return False
    return ignored is None or not ignored.leaves_out(path, folder=True)


def _told(failed: list[OSError]) -> Iterator[Left]:
    while failed:
        error = failed.pop(0)
        yield Left(str(error.filename), error.strerror or "cannot be read")
