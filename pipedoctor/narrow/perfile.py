"""Checks that are ignored in some files: ``[tool.pipedoctor.per-file-ignores]``."""

import fnmatch
import re
from collections.abc import Callable, Sequence

import msgspec

from pipedoctor.check import Verdict
from pipedoctor.narrow.places import thin
from pipedoctor.report.places import file_of


class FileIgnore(msgspec.Struct, frozen=True, kw_only=True):
    """In files that match, these checks are ignored; none named: all of them."""

    pattern: str
    """As in .gitignore: ``tests/*``, ``*_test.py``, ``**/legacy/``; ``!``: all but."""
    codes: frozenset[str] = frozenset()
    prefix: str = ""
    """From the file that says so to the working directory: ``sub/``, or empty."""


def ignore(
    verdict: Verdict, rules: Sequence[FileIgnore], redact: Callable[[str], str]
) -> Verdict:
    """Leave out what is ignored where it is; `redact` writes paths as reports do."""
    for rule in rules:
        if verdict.findings and verdict.code in rule.codes:
            wanted = {rule.pattern, redact(rule.pattern)}
            prefix = redact(rule.prefix)
            verdict = thin(
                verdict,
                lambda place, w=wanted, p=prefix: any(  # type: ignore[misc]
                    matches(pattern, file_of(place), p) for pattern in w
                ),
                f"ignored in {redact(rule.pattern)} by per-file-ignores",
            )
    return verdict


def matches(pattern: str, path: str, prefix: str = "") -> bool:
    """Does the pattern mean this file, by its name, its path or a folder above it?"""
    if pattern.startswith("!"):
        return not matches(pattern[1:], path, prefix)
    named = pattern.removeprefix("./").rstrip("/")
    found = re.compile(rf"(?:{_regex(named)})(?:/.*)?", re.DOTALL)
    whole = path.removeprefix("./")
    names = {whole, f"{prefix}{whole}"}
    if "/" not in named:
        names |= {part for name in names for part in name.split("/")}
    return any(found.fullmatch(name) for name in names)


def _regex(pattern: str) -> str:
    """As a regular expression; ``**/`` may be no folder at all."""
    parts = [fnmatch.translate(part)[4:-3] for part in pattern.split("**/")]
    return "(?:.*/)?".join(parts)
