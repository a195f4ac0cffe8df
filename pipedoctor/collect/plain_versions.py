"""
The plain nine tenths of PEP 440 and 508, without the library that knows all of it.

Loading `packaging` and parsing with it costs more than all the rest of reading an
environment. What is not plain (pre-releases, wildcards, extras, markers of several
clauses) is answered with None: the library decides, and a property test holds that
both always agree.
"""

import operator
import os
import platform
import re
import sys
from collections.abc import Callable, Mapping

_RELEASE = r"\d{1,8}(?:\.\d{1,8}){0,5}"
_CLAUSE = re.compile(rf"\s*(==(?!=)|!=|>=|<=|~=|>|<)\s*({_RELEASE})((?:a|b|rc)\.?\d{{1,8}})?\s*")
_REQUIREMENT = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[\w\s.,-]*\])?\s*(\(?)([^;@\[\]()]*)(\)?)\s*"
    r"(?:;\s*(.*))?"
)
_MARKER = re.compile(
    r"(python_version|python_full_version|sys_platform|platform_system|os_name"
    r"|platform_python_implementation|implementation_name)\s*"
    r"(==|!=|>=|<=|>|<)\s*(?:\"([^\"]*)\"|'([^']*)')\s*"
)
_VERSION = re.compile(
    rf"({_RELEASE})((?:(?:a|b|rc)\d{{1,8}})?(?:\.post\d{{1,8}})?(?:\.dev\d{{1,8}})?"
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


def parse_requirement(line: str, values: Mapping[str, str]) -> tuple[str, ...] | None:
    """Name and specifier when it applies, () when it does not, None: not plain."""
    match = _REQUIREMENT.fullmatch(line)
    if match is None or bool(match[2]) != bool(match[4]):
        return None
    name, _, specifier, _, marker = match.groups()
    applies = True if marker is None else _evaluate_marker(marker, values)
    if applies is False:
        return ()
    clauses = [part for part in specifier.split(",") if part.strip()]
    if not all(_is_plain_clause(part) for part in clauses):
        return None
    if specifier.strip() and specifier.count(",") >= len(clauses):
        return None
    if applies is None:
        return None
    text = ",".join("".join(part.split()) for part in clauses)
    return name, text


def _is_plain_clause(clause: str) -> bool:
    """Is it a clause that this module can compare? ``~=2`` is invalid everywhere."""
    match = _CLAUSE.fullmatch(clause)
    return match is not None and (match[1] != "~=" or "." in match[2])


def _evaluate_marker(marker: str, values: Mapping[str, str]) -> bool | None:
    """Clauses joined by `and`: one that is false decides, whatever the others are."""
    if "(" in marker or re.search(r"\bor\b", marker):
        return None
    answers = [_evaluate_clause(part.strip(), values) for part in re.split(r"\band\b", marker)]
    if None in answers:
        return None
    return all(answers)


def _evaluate_clause(marker: str, values: Mapping[str, str]) -> bool | None:
    """A marker of one clause about the version or the platform."""
    match = _MARKER.fullmatch(marker)
    if match is None:
        return None
    variable, sign, double, single = match.groups()
    wanted = single if double is None else double
    if variable.startswith("python_"):
        return satisfies(f"{sign}{wanted}", values[variable])
    if sign not in ("==", "!="):
        return None
    here = {
        "sys_platform": sys.platform,
        "platform_system": platform.system(),
        "platform_python_implementation": platform.python_implementation(),
        "implementation_name": sys.implementation.name,
        "os_name": os.name,
    }[variable]
    return (here == wanted) == (sign == "==")


def satisfies(specifier: str, installed_version: str) -> bool | None:
    """Does this version satisfy plain clauses? None: not plain, ask the library."""
    if not specifier:
        return True
    version = _VERSION.fullmatch(installed_version)
    clauses = [_CLAUSE.fullmatch(part) for part in filter(None, specifier.split(","))]
    if version is None:
        return None
    allowed = True
    for clause in clauses:
        if clause is None:
            return None
        mine, least = _align_releases(version[1], clause[2])
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


def _align_releases(one: str, other: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both as numbers of equal length: ``2`` is ``2.0``."""
    a, b = tuple(map(int, one.split("."))), tuple(map(int, other.split(".")))
    length = max(len(a), len(b))
    return a + (0,) * (length - len(a)), b + (0,) * (length - len(b))
