"""What lies below a folder that may be code: bounded, and never twice."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from pipedoctor.source.discover.gitignore import GitignoreMatcher
from pipedoctor.source.discover.path_patterns import matches_pattern

DEFAULT_EXCLUDE = (
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
)
"""Folders below the given ones that hold nobody's training code."""


class OmittedPath(NamedTuple):
    """A file or folder that is not read, with the reason."""

    path: str
    reason: str


def walk_folder(
    folder: str,
    suffixes: tuple[str, ...],
    *,
    gitignore: bool,
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE,
) -> Iterator[str | OmittedPath]:
    """
    Files with these endings in order of their names; folders that cannot be read.

    Links to folders are not followed, so there is no loop. What `exclude` matches is
    left out, by its path from `folder` or as it would be shown.
    """
    names, patterns = _split_patterns(exclude)
    ignored = GitignoreMatcher(folder) if gitignore else None
    failed: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=failed.append):
        yield from _report_failures(failed)
        kept = sorted(set(folders) - names)
        folders[:] = [
            name
            for name in kept
            if _is_code_folder(where, name, ignored)
            and not _is_excluded(folder, where, name, patterns)
        ]
        for name in sorted(files):
            if name.endswith(suffixes) and name not in names:
                path = os.path.join(where, name)  # noqa: PTH118  (keeps a leading ./)
                if _is_excluded(folder, where, name, patterns):
                    continue
                if ignored is None or not ignored.is_ignored(path, folder=False):
                    yield path
    yield from _report_failures(failed)


def _split_patterns(exclude: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """Names, which are quickly looked up, and patterns, which are not."""
    patterns = [one for one in exclude if set(one) & set("*?[/!")]
    return set(exclude) - set(patterns), patterns


def _is_excluded(top: str, folder: str, name: str, patterns: list[str]) -> bool:
    if not patterns:
        return False
    path = os.path.join(folder, name)  # noqa: PTH118
    below_top = os.path.relpath(path, top).replace(os.sep, "/")
    shown = os.path.normpath(path).replace(os.sep, "/")
    return any(matches_pattern(one, below_top) or matches_pattern(one, shown) for one in patterns)


def _is_code_folder(parent: str, name: str, gitignore: GitignoreMatcher | None) -> bool:
    """A folder that is no environment of Python and that git knows of."""
    path = os.path.join(parent, name)  # noqa: PTH118
    if os.path.exists(os.path.join(path, "pyvenv.cfg")):  # noqa: PTH110, PTH118
        return False
    return gitignore is None or not gitignore.is_ignored(path, folder=True)


def _report_failures(errors: list[OSError]) -> Iterator[OmittedPath]:
    while errors:
        error = errors.pop(0)
        yield OmittedPath(str(error.filename), error.strerror or "cannot be read")
