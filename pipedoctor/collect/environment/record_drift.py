"""Compare the examined environment with a file that records it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipedoctor.collect.environment.conda import conda
from pipedoctor.collect.environment.environment_records import RecordedRequirement, parse_record
from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.packages import list_installed, normalize_name
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.environment.requirements import build_marker_values, is_allowed
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import Drifted, RecordDrift, UnreadableError
from pipedoctor.runtime.lanes import Announce

if TYPE_CHECKING:
    from packaging.version import Version


def record_drift(
    machine: Machine,
    choice: EnvironmentChoice,
    against: tuple[str, str, bytes],
    announce: Announce,
) -> RecordDrift:
    """List what differs; `against` is the file's path, its kind and its content."""
    path, kind, data = against
    recorded = parse_record(kind, data)
    here = interpreter(machine, choice, announce)
    found: dict[str, str] = {}
    for distribution in list_installed(here, announce):
        found.setdefault(distribution.name, distribution.version)
    by_conda = _read_conda_versions(machine, choice, announce)
    if here.version.count(".") > 1:
        by_conda.setdefault("python", here.version)
    values = build_marker_values(here)
    drifted: list[Drifted] = []
    judged = 0
    for wanted in recorded:
        if not _marker_applies(wanted, values):
            continue
        there = _find_installed(wanted, found, by_conda)
        half_known = wanted.name == "python" and there is None
        if half_known or (there is None and not wanted.needed):
            continue
        judged += 1
        if there is None or not _is_satisfied(wanted, there):
            drifted.append(
                Drifted(name=wanted.name, wanted=_format_wanted(wanted), found=there or "")
            )
    return RecordDrift(path=escape_path(path), kind=kind, judged=judged, drifted=tuple(drifted))


def _read_conda_versions(
    machine: Machine, choice: EnvironmentChoice, announce: Announce
) -> dict[str, str]:
    try:
        records = conda(machine, choice, announce).packages
    except UnreadableError:
        return {}
    return {normalize_name(record.name): record.version for record in records}


def _find_installed(
    requirement: RecordedRequirement, versions: Mapping[str, str], by_conda: Mapping[str, str]
) -> str | None:
    """What conda installs is looked for in its records, the rest on the path."""
    first, second = (by_conda, versions) if requirement.conda else (versions, by_conda)
    there = first.get(requirement.name) or second.get(requirement.name)
    if there is None and requirement.conda and requirement.name == "pytorch":
        return versions.get("torch")
    return there


def _marker_applies(requirement: RecordedRequirement, values: Mapping[str, str]) -> bool:
    from packaging.markers import (  # noqa: PLC0415  (only in this lane)
        InvalidMarker,
        Marker,
        UndefinedEnvironmentName,
    )

    if not requirement.marker:
        return True
    try:
        return Marker(requirement.marker).evaluate({**values})
    except (InvalidMarker, UndefinedEnvironmentName):
        return False  # of an extra or a group: nobody knows whether it was asked for


def _is_satisfied(requirement: RecordedRequirement, installed_version: str) -> bool:
    from packaging.specifiers import InvalidSpecifier  # noqa: PLC0415
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    try:
        if not requirement.versions:
            return is_allowed(requirement.spec, installed_version)
        version = Version(installed_version)
        return any(_is_same_version(Version(exact), version) for exact in requirement.versions)
    except (InvalidSpecifier, InvalidVersion):
        return not requirement.versions or installed_version in requirement.versions


def _is_same_version(exact: "Version", installed_version: "Version") -> bool:
    """A record without a local part (``+cu126``) does not ask for one."""
    return exact == installed_version if exact.local else exact.public == installed_version.public


def _format_wanted(requirement: RecordedRequirement) -> str:
    return " or ".join(requirement.versions) or requirement.spec
