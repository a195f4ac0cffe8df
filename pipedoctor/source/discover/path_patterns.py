"""Patterns for paths, as in .gitignore: ``tests/*``, ``*_test.py``, ``**/legacy/``."""

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def matches_pattern(pattern: str, path: str, prefix: str = "") -> bool:
    """
    Does the pattern mean this file, by its name, its path or a folder above it?

    ``!`` before a pattern: all but these. `prefix` is what stands before the path
    where the pattern counts from a folder above: ``sub/``.
    """
    if pattern.startswith("!"):
        return not matches_pattern(pattern[1:], path, prefix)
    spec = _compile_pattern(pattern.removeprefix("./").rstrip("/"))
    whole = path.removeprefix("./")
    return any(map(spec.match_file, {whole, f"{prefix}{whole}"}))


@functools.cache
def _compile_pattern(pattern: str) -> "GitIgnoreSpec":
    """What is no pattern for git means no file."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (only where there are patterns)

    try:
        return GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return GitIgnoreSpec([])
