"""What a file that records an environment asks for, beside what is there."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from pipedoctor.collect.environment.environment_records import RecordedRequirement


class RequestedVersion(msgspec.Struct, frozen=True):
    """Versions that a file would accept: these, or those in a PEP 440 range."""

    versions: tuple[str, ...] = ()
    spec: str = ""

    def __str__(self) -> str:
        """``2.13.0``, ``>=2,<3``, or ``any``."""
        return " or ".join(self.versions) or self.spec or "any"


def is_satisfied(one: object, other: object) -> bool:
    """Does what is there meet what is asked for? Two files ask for the same?"""
    if isinstance(one, RequestedVersion) and isinstance(other, RequestedVersion):
        return _is_same_request(one, other)
    wanted, there = (one, other) if isinstance(one, RequestedVersion) else (other, one)
    return (
        isinstance(wanted, RequestedVersion)
        and isinstance(there, str)
        and _is_accepted(wanted, there)
    )


def build_known_facts(
    entries: Iterable[RecordedRequirement], values: Mapping[str, str]
) -> dict[str, Any]:
    """
    A report's `known`, as far as the file tells; `values` are a machine's markers.

    Entries whose marker nobody can judge are left out: nobody knows of them.
    """
    rows: list[dict[str, Any]] = []
    sections: dict[str, Any] = {}
    for entry in entries:
        if not _is_applicable(entry.marker, values):
            continue
        version = RequestedVersion(entry.versions, entry.spec)
        if entry.name == "python":
            sections["interpreter"] = {"version": version}
            continue
        name = "torch" if entry.conda and entry.name == "pytorch" else entry.name
        rows.append({"name": name, "version": version, "needed": entry.needed})
        if name == "torch":
            sections["torch"] = {"version": version}
    return {**sections, "packages": {"entries": rows, "complete": False}}


def _is_applicable(marker: str, values: Mapping[str, str]) -> bool:
    if not marker:
        return True
    from packaging.markers import (  # noqa: PLC0415  (few files hold any)
        InvalidMarker,
        Marker,
        UndefinedComparison,
        UndefinedEnvironmentName,
    )

    if not values:
        return False
    try:
        return Marker(marker).evaluate({**values})
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName):
        return False


def _is_same_request(one: RequestedVersion, other: RequestedVersion) -> bool:
    if one == other:
        return True
    for mine, yours in ((one, other), (other, one)):
        if len(mine.versions) == 1 and _is_accepted(yours, mine.versions[0]):
            return True
        exact = mine.spec.removeprefix("==")
        pinned = mine.spec.startswith("==") and not set(exact) & set(",*=")
        if pinned and _is_accepted(yours, exact):
            return True
    return bool(one.spec) and _split_spec(one.spec) == _split_spec(other.spec)


def _split_spec(spec: str) -> set[str]:
    return {part.strip() for part in spec.split(",")}


def _is_accepted(requirement: RequestedVersion, installed_version: str) -> bool:
    """A record without a local part (``+cu126``) does not ask for one."""
    from packaging.specifiers import (  # noqa: PLC0415  (only for files)
        InvalidSpecifier,
        SpecifierSet,
    )
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    if installed_version in requirement.versions:
        return True
    try:
        version = Version(installed_version)
        if not requirement.versions:
            return SpecifierSet(requirement.spec).contains(version, prereleases=True)
        return any(
            Version(exact.public) == Version(version.public)
            for exact in map(Version, requirement.versions)
            if not exact.local
        )
    except (InvalidSpecifier, InvalidVersion):
        return not requirement.versions
