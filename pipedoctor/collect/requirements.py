"""Which requirements of installed distributions are not met, as `pip check` asks."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.packages import installed, normal
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import Interpreter, Missing, Requirements

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_REQUIRES = re.compile(r"^Requires-Dist:[ \t]*(.+?)[ \t]*$", re.MULTILINE)


def requirements(machine: Machine, chosen: Chosen, announce: Announce) -> Requirements:
    """
    Compare every Requires-Dist without an extra with what an import would find.

    Markers are evaluated for the examined interpreter, not for this one. A line or a
    version that no standard reads is left out: unknown is no illness.
    """
    here = interpreter(machine, chosen, announce)
    found = list(installed(here, [], announce))
    first: dict[str, str] = {}
    for _, distribution in found:
        first.setdefault(distribution.name, distribution.version)
    announce("reading METADATA files")
    values = markers(here)
    unmet: list[Missing] = []
    judged = 0
    for metadata, distribution in found:
        for wanted in _wanted(metadata, values):
            judged += 1
            there = first.get(normal(wanted.name))
            if there is None or not _fits(wanted, there):
                line = f"{wanted.name}{wanted.specifier}"
                unmet.append(
                    Missing(
                        owner=distribution.name, requirement=line, found=there or ""
                    )
                )
    return Requirements(unmet=tuple(unmet), judged=judged)


def _wanted(metadata: Path, values: Mapping[str, str]) -> Iterator["Requirement"]:
    from packaging.requirements import (  # noqa: PLC0415  (only in this lane)
        InvalidRequirement,
        Requirement,
    )

    text = read_or(metadata / "METADATA") or read_or(metadata / "PKG-INFO")
    for line in _REQUIRES.findall(text.partition("\n\n")[0]):
        if "extra ==" in line and " or " not in line:
            continue
        try:
            wanted = Requirement(line)
        except InvalidRequirement:
            continue
        if wanted.marker is None or wanted.marker.evaluate({**values}):
            yield wanted


def _fits(wanted: "Requirement", there: str) -> bool:
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    try:
        version = Version(there)
    except InvalidVersion:
        return True
    return wanted.specifier.contains(version, prereleases=True)


def markers(here: Interpreter) -> dict[str, str]:
    """PEP 508's variables of the examined interpreter; it shares our platform."""
    minor = ".".join(here.version.split(".")[:2])
    full = here.version if here.version.count(".") > 1 else f"{minor}.0"
    return {
        "python_version": minor,
        "python_full_version": full,
        "implementation_version": full,
        "extra": "",
    }
