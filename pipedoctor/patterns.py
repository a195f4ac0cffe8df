"""Patterns for paths, as in .gitignore: ``tests/*``, ``*_test.py``, ``**/legacy/``."""

import fnmatch
import functools
import re


def matches(pattern: str, path: str, prefix: str = "") -> bool:
    """
    Does the pattern mean this file, by its name, its path or a folder above it?

    ``!`` before a pattern: all but these. `prefix` is what stands before the path
    where the pattern counts from a folder above: ``sub/``.
    """
    if pattern.startswith("!"):
        return not matches(pattern[1:], path, prefix)
    named = pattern.removeprefix("./").rstrip("/")
    whole = path.removeprefix("./")
    names = {whole, f"{prefix}{whole}"}
    if "/" not in named:
        names |= {part for name in names for part in name.split("/")}
    return any(_compiled(named).fullmatch(name) for name in names)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """As a regular expression; ``**/`` may be no folder at all."""
    parts = [fnmatch.translate(part)[4:-3] for part in pattern.split("**/")]
    return re.compile(rf"(?:{'(?:.*/)?'.join(parts)})(?:/.*)?", re.DOTALL)
