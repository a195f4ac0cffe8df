"""Requirements that other installed distributions allow, too."""

import re

from pipedoctor.check import Remedy
from pipedoctor.facts import Bound, Interpreter, Requirements
from pipedoctor.versions import CLAUSE, find_version, parse_version
from pipedoctor_checks._shared import pip_command

_MAX_NAMES = 3


def install_version(
    place: Interpreter | None,
    title: str,
    requirements: Requirements | None,
    wanted: str,
    version: str,
) -> Remedy:
    """
    Install `wanted`, together with the distributions that exclude it.

    `version` is one that it stands for. pip keeps what it installs together consistent:
    it looks for versions of the others that allow it, and changes nothing if there are none.
    """
    name = wanted.partition(">")[0].partition("<")[0]
    owners = requirements.find_excluding(name, version) if requirements else ()
    return pip_command.install(place, title + explain_owners(owners), wanted, *owners)


def explain_owners(owners: tuple[str, ...]) -> str:
    """What a title says of distributions that change as well."""
    if not owners:
        return ""
    rest = len(owners) - _MAX_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    return f", and versions of {', '.join(owners[:_MAX_NAMES])}{more} that allow it"


def fit_requirement(
    name: str, clauses: tuple[str, ...], bounds: tuple[Bound, ...]
) -> tuple[str, tuple[str, ...]]:
    """
    The requirement for these clauses within the bounds of all; else whom it contradicts.

    pip does not ask distributions that it is not told to install: the newest version that
    one of them allows may be too new for another.
    """
    own = [bound for bound in bounds if bound.name == name]
    others = [clause for bound in own for clause in bound.specifier.split(",")]
    if find_version((*clauses, *others)):
        return name + ",".join(dict.fromkeys((*clauses, *_list_upper(clauses, others)))), ()
    if find_version(clauses):
        owners = [one.owner for one in own if not find_version((*clauses, one.specifier))]
        return name + ",".join(clauses), tuple(dict.fromkeys(owners))
    asking = [one.owner for one in own if {*one.specifier.split(",")} & {*clauses}]
    return "", tuple(dict.fromkeys(asking))


def _list_upper(clauses: tuple[str, ...], others: list[str]) -> list[str]:
    """What keeps a version from being too new: the lowest limit, and versions by themselves."""
    exact = [one for one in others if one.startswith(("==", "~="))]
    limits = [one for one in (*clauses, *others) if one.startswith("<")]
    lowest = min(limits, key=_sort_limit, default="")
    return [*exact, *([lowest] if lowest else [])]


def _sort_limit(clause: str) -> tuple[tuple[int, ...], bool]:
    match = re.fullmatch(CLAUSE, clause)
    return parse_version(match[2]) if match else (), clause.startswith("<=")
