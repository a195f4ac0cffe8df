"""Checks that are ignored in some files: ``[tool.pipedoctor.per-file-ignores]``."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from pipedoctor.source.discover.path_patterns import matches_pattern

if TYPE_CHECKING:
    from pipedoctor.check import Verdict


class FileIgnore(msgspec.Struct, frozen=True, kw_only=True):
    """In files that match, these checks are ignored; none named: all of them."""

    pattern: str
    """As in .gitignore: ``tests/*``, ``*_test.py``, ``**/legacy/``; ``!``: all but."""
    codes: frozenset[str] = frozenset()
    prefix: str = ""
    """From the file that says so to the working directory: ``sub/``, or empty."""


def ignore_per_file(
    verdict: "Verdict", rules: Sequence[FileIgnore], redact: Callable[[str], str]
) -> "Verdict":
    """Leave out what is ignored where it is; `redact` writes paths as reports do."""
    from pipedoctor.check.places import get_file_path  # noqa: PLC0415
    from pipedoctor.suppress.places import drop_places  # noqa: PLC0415  (checks load later)

    for rule in rules:
        if verdict.findings and verdict.code in rule.codes:
            patterns = {rule.pattern, redact(rule.pattern)}
            prefix = redact(rule.prefix)
            verdict = drop_places(
                verdict,
                lambda place, w=patterns, p=prefix: any(  # type: ignore[misc]
                    matches_pattern(pattern, get_file_path(place), p) for pattern in w
                ),
                f"ignored in {redact(rule.pattern)} by per-file-ignores",
            )
    return verdict
