"""Versions as plain numbers: drivers, CUDA, torch; no PEP 440 where none is needed."""

import operator
import re
from collections.abc import Callable, Iterable, Mapping

_RELEASE = r"\s*v?(\d+(?:\.\d+)*)"
_PLAIN = r"\d{1,8}(?:\.\d{1,8}){0,5}"
CLAUSE = rf"\s*(==(?!=)|!=|>=|<=|~=|>|<)\s*({_PLAIN})((?:a|b|rc)\.?\d{{1,8}})?\s*"
"""One comparison of PEP 440: its sign, a release, and a pre-release."""
_VERSION = (
    rf"({_PLAIN})((?:(?:a|b|rc)\d{{1,8}})?(?:\.post\d{{1,8}})?(?:\.dev\d{{1,8}})?"
    r"(?:\+[a-z0-9]+(?:\.[a-z0-9]+)*)?)"
)
"""A release, and what only matters where the release itself is equal."""
_OPERATORS: Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def parse_version(version: str) -> tuple[int, ...]:
    """
    Read the leading release number: ``2.13.0a0+git`` is (2, 13, 0).

    Text that does not start with a number is (): it compares below everything.
    """
    match = re.match(_RELEASE, version)
    return tuple(map(int, match.group(1).split("."))) if match else ()


def is_at_least(version: str, minimum: str) -> bool:
    """Is it at least this? ``12`` reaches ``12.0``: missing parts count as zero."""
    mine, least = _align(parse_version(version), parse_version(minimum))
    return mine >= least


def get_series(version: str) -> str:
    """Say the first two parts: ``2.13`` of ``2.13.0+cu126``."""
    return ".".join(map(str, parse_version(version)[:2]))


def get_major(version: str) -> int | None:
    """Give the first part, or None where there is none."""
    return next(iter(parse_version(version)), None)


def is_prerelease(version: str) -> bool:
    """Is it a nightly, an alpha or a source build rather than a published release?"""
    return bool(re.search(r"\d(?:a|b|rc)\d|dev|\+git|\+[0-9a-f]{7,}", version))


def satisfies(specifier: str, installed_version: str) -> bool | None:
    """Does this version satisfy plain clauses? None: not plain, ask the library."""
    if not specifier:
        return True
    version = re.fullmatch(_VERSION, installed_version)
    clauses = [re.fullmatch(CLAUSE, part) for part in filter(None, specifier.split(","))]
    if version is None:
        return None
    allowed = True
    for clause in clauses:
        if clause is None:
            return None
        mine, least = _align(parse_version(version[1]), parse_version(clause[2]))
        if clause[1] == "~=":
            same = clause[2].count(".")
            if not same or clause[3] or (version[2] and mine == least):
                return None
            allowed &= mine >= least and mine[:same] == least[:same]
            continue
        if (version[2] or clause[3]) and mine == least:
            return None
        allowed &= _OPERATORS[clause[1]](mine, least)
    return allowed


def find_version(clauses: Iterable[str]) -> str:
    """
    A release that plain clauses allow together, empty: there is none.

    Between two releases that clauses name, all answers are alike: one of each kind is tried.
    """
    specifier = ",".join(clauses)
    named = {parse_version(found[2]) for part in specifier.split(",") if (found := _match(part))}
    tried = {one for release in named for one in (release, (*release, 0, 1), _step_down(release))}
    texts = [".".join(map(str, one)) for one in sorted(tried, reverse=True)] or ["1"]
    return next((text for text in texts if satisfies(specifier, text) is not False), "")


def _match(clause: str) -> re.Match[str] | None:
    return re.fullmatch(CLAUSE, clause)


def _step_down(release: tuple[int, ...]) -> tuple[int, ...]:
    """The last release before it: ``1.99999`` before ``2`` and before ``2.0``."""
    head = _strip_zeros(release)
    return (*head[:-1], head[-1] - 1, 99999) if head else (0,)


def _strip_zeros(release: tuple[int, ...]) -> tuple[int, ...]:
    return _strip_zeros(release[:-1]) if release and not release[-1] else release


def _align(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Both with as many parts: ``2`` is ``2.0``."""
    length = max(len(one), len(other))
    return _pad(one, length), _pad(other, length)


def _pad(parts: tuple[int, ...], length: int) -> tuple[int, ...]:
    return parts + (0,) * (length - len(parts))
