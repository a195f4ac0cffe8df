"""Which requirements of installed distributions are not met, as `pip check` asks."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from pipedoctor.collect import metadata, plain_versions
from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.metadata import Metadata, normal
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import Interpreter, Missing, Requirements

_GROUP = re.compile(r"\([^()]*\)")
_EXTRA = re.compile(r"\bextra\s*==")
_FIELD = "Requires-Dist:"
_REQUIRES = re.compile(rf"^{_FIELD}[ \t]*(.+?)[ \t]*$", re.MULTILINE)


class Wanted(msgspec.Struct, frozen=True):
    """A requirement that applies here: a name, and a specifier as text."""

    name: str
    specifier: str


def requirements(machine: Machine, chosen: Chosen, announce: Announce) -> Requirements:
    """
    Compare every Requires-Dist without an extra with what an import would find.

    Markers are evaluated for the examined interpreter, not for this one. A line or a
    version that no standard reads is left out: unknown is no illness.
    """
    here = interpreter(machine, chosen, announce)
    found = list(metadata.listed(here, [], announce))
    first: dict[str, str] = {}
    for entry in found:
        first.setdefault(entry.name, entry.version)
    announce("reading METADATA files")
    values = markers(here)
    unmet: list[Missing] = []
    judged = 0
    for entry in found:
        for wanted in _wanted(entry, values):
            judged += 1
            there = first.get(normal(wanted.name))
            if there is None or not fits(wanted.specifier, there):
                line = f"{wanted.name}{wanted.specifier}"
                unmet.append(
                    Missing(owner=entry.name, requirement=line, found=there or "")
                )
    return Requirements(unmet=tuple(unmet), judged=judged)


def _wanted(entry: Metadata, values: Mapping[str, str]) -> Iterator[Wanted]:
    head = metadata.header(entry.path("METADATA"))
    head = head or metadata.header(entry.path("PKG-INFO"))
    for line in _REQUIRES.findall(head) if _FIELD in head else ():
        if _of_an_extra(line.partition(";")[2]):
            continue
        plain = plain_versions.requirement(line, values)
        wanted = _by_the_standard(line, values) if plain is None else plain
        if wanted:
            yield Wanted(*wanted)


def _of_an_extra(marker: str) -> bool:
    """Can this marker only be true when an extra was asked for?"""
    bare = _GROUP.sub("", marker)
    whole = bare if "extra" in bare and " or " not in bare else marker
    return all(_EXTRA.search(part) for part in whole.split(" or "))


def _by_the_standard(line: str, values: Mapping[str, str]) -> tuple[str, ...]:
    """Name and specifier of a requirement that applies; empty when it does not."""
    from packaging.requirements import (  # noqa: PLC0415  (only for what is not plain)
        InvalidRequirement,
        Requirement,
    )

    try:
        wanted = Requirement(line)
    except InvalidRequirement:
        return ()
    if wanted.marker is None or wanted.marker.evaluate({**values}):
        return wanted.name, str(wanted.specifier)
    return ()


def fits(specifier: str, there: str) -> bool:
    """Is this version allowed? One that no standard reads counts as allowed."""
    plain = plain_versions.fits(specifier, there)
    if plain is not None:
        return plain
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    try:
        version = Version(there)
    except InvalidVersion:
        return True
    return SpecifierSet(specifier).contains(version, prereleases=True)


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
