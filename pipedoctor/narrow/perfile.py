"""Checks that are ignored in some files: ``[tool.pipedoctor.per-file-ignores]``."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from pipedoctor.patterns import matches

if TYPE_CHECKING:
    from pipedoctor.check import Verdict


class FileIgnore(msgspec.Struct, frozen=True, kw_only=True):
    """In files that match, these checks are ignored; none named: all of them."""

    pattern: str
    """As in .gitignore: ``tests/*``, ``*_test.py``, ``**/legacy/``; ``!``: all but."""
    codes: frozenset[str] = frozenset()
    prefix: str = ""
    """From the file that says so to the working directory: ``sub/``, or empty."""


def ignore(
    verdict: "Verdict", rules: Sequence[FileIgnore], redact: Callable[[str], str]
) -> "Verdict":
    """Leave out what is ignored where it is; `redact` writes paths as reports do."""
    from pipedoctor.narrow.places import thin  # noqa: PLC0415  (checks load later)
    from pipedoctor.report.places import file_of  # noqa: PLC0415

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
