"""
The plain nine tenths of PEP 440 and 508, without the library that knows all of it.

Loading `packaging` and parsing with it costs more than all the rest of reading an
environment. What is not plain (pre-releases, wildcards, extras, markers of several
clauses) is answered with None: the library decides, and a property test holds that
both always agree.
"""

import os
import platform
import re
import sys
from collections.abc import Mapping

from pipedoctor.versions import CLAUSE, satisfies

_REQUIREMENT = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[\w\s.,-]*\])?\s*(\(?)([^;@\[\]()]*)(\)?)\s*"
    r"(?:;\s*(.*))?"
)
_MARKER = re.compile(
    r"(python_version|python_full_version|sys_platform|platform_system|os_name"
    r"|platform_python_implementation|implementation_name)\s*"
    r"(==|!=|>=|<=|>|<)\s*(?:\"([^\"]*)\"|'([^']*)')\s*"
)


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
    match = re.fullmatch(CLAUSE, clause)
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
