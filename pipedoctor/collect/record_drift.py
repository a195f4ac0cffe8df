"""Compare the examined environment with a file that records it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipedoctor.collect.conda import conda
from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.packages import installed, normal
from pipedoctor.collect.prefix import Chosen
from pipedoctor.collect.records import Recorded, parse
from pipedoctor.collect.requirements import fits, markers
from pipedoctor.facts import Drifted, RecordDrift, Unreadable

if TYPE_CHECKING:
    from packaging.version import Version


def record_drift(
    machine: Machine,
    chosen: Chosen,
    against: tuple[str, str, bytes],
    announce: Announce,
) -> RecordDrift:
    """List what differs; `against` is the file's path, its kind and its content."""
    path, kind, data = against
    recorded = parse(kind, data)
    here = interpreter(machine, chosen, announce)
    found: dict[str, str] = {}
    for distribution in installed(here, announce):
        found.setdefault(distribution.name, distribution.version)
    by_conda = _by_conda(machine, chosen, announce)
    if here.version.count(".") > 1:
        by_conda.setdefault("python", here.version)
    values = markers(here)
    drifted: list[Drifted] = []
    judged = 0
    for wanted in recorded:
        if not _applies(wanted, values):
            continue
        there = _there(wanted, found, by_conda)
        half_known = wanted.name == "python" and there is None
        if half_known or (there is None and not wanted.needed):
            continue
        judged += 1
        if there is None or not _fits(wanted, there):
            drifted.append(
                Drifted(name=wanted.name, wanted=_said(wanted), found=there or "")
            )
    return RecordDrift(
        path=legible(path), kind=kind, judged=judged, drifted=tuple(drifted)
    )


def _by_conda(machine: Machine, chosen: Chosen, announce: Announce) -> dict[str, str]:
    try:
        records = conda(machine, chosen, announce).packages
    except Unreadable:
        return {}
    return {normal(record.name): record.version for record in records}


def _there(
    wanted: Recorded, found: Mapping[str, str], by_conda: Mapping[str, str]
) -> str | None:
    """What conda installs is looked for in its records, the rest on the path."""
    first, second = (by_conda, found) if wanted.conda else (found, by_conda)
    there = first.get(wanted.name) or second.get(wanted.name)
    if there is None and wanted.conda and wanted.name == "pytorch":
        return found.get("torch")
    return there


def _applies(wanted: Recorded, values: Mapping[str, str]) -> bool:
    from packaging.markers import (  # noqa: PLC0415  (only in this lane)
        InvalidMarker,
        Marker,
        UndefinedEnvironmentName,
    )

    if not wanted.marker:
        return True
    try:
        return Marker(wanted.marker).evaluate({**values})
    except (InvalidMarker, UndefinedEnvironmentName):
        return False  # of an extra or a group: nobody knows whether it was asked for


def _fits(wanted: Recorded, there: str) -> bool:
    from packaging.specifiers import InvalidSpecifier  # noqa: PLC0415
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    try:
        if not wanted.versions:
            return fits(wanted.spec, there)
        version = Version(there)
        return any(_same(Version(exact), version) for exact in wanted.versions)
    except (InvalidSpecifier, InvalidVersion):
        return not wanted.versions or there in wanted.versions


def _same(exact: "Version", there: "Version") -> bool:
    """A record without a local part (``+cu126``) does not ask for one."""
    return exact == there if exact.local else exact.public == there.public


def _said(wanted: Recorded) -> str:
    return " or ".join(wanted.versions) or wanted.spec
