"""Which requirements of installed distributions are not met, as `pip check` asks."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from pipedoctor.collect.environment import metadata, plain_versions
from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.metadata import MetadataFolder, normalize_name
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Bound, Interpreter, Missing, Requirements
from pipedoctor.runtime.lanes import Announce
from pipedoctor.versions import satisfies

_CHANGED_PACKAGES = frozenset(("numpy", "pillow", "torch", "torchaudio", "torchvision"))
"""What remedies install in another version."""
_NVIDIA_WHEEL = re.compile(r"nvidia-[a-z0-9-]+-cu\d\d")
"""What remedies remove, unless another than torch and these themselves requires it."""
_ANY = ">=0"
_PARENTHESES = re.compile(r"\([^()]*\)")
_EXTRA_CLAUSE = re.compile(r"\bextra\s*==")
_FIELD_NAME = "Requires-Dist:"
_REQUIRES_LINE = re.compile(rf"^{_FIELD_NAME}[ \t]*(.+?)[ \t]*$", re.MULTILINE)


class ApplicableRequirement(msgspec.Struct, frozen=True):
    """A requirement that applies here: a name, and a specifier as text."""

    name: str
    specifier: str
    optional: bool = False
    """Only where an extra was asked for, which nobody records."""


def requirements(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> Requirements:
    """
    Compare every Requires-Dist without an extra with the installed versions.

    Markers are evaluated for the examined interpreter, not for this one. A line or a
    version that no standard reads is left out: unknown is no illness.
    """
    here = interpreter(machine, choice, announce)
    found = list(metadata.list_metadata(here, [], announce))
    first: dict[str, str] = {}
    for entry in found:
        first.setdefault(entry.name, entry.version)
    announce("reading METADATA files")
    values = build_marker_values(here)
    unmet: list[Missing] = []
    bounds: list[Bound] = []
    judged = 0
    changed: set[str] = set(_CHANGED_PACKAGES)
    for entry in found:
        for wanted in _iter_requirements(entry, values):
            name = normalize_name(wanted.name)
            if wanted.optional:
                bounds.append(Bound(owner=entry.name, name=name, specifier=_ANY))
                continue
            judged += 1
            there = first.get(name)
            if wanted.specifier or _NVIDIA_WHEEL.fullmatch(name):
                asked = wanted.specifier or _ANY
                bounds.append(Bound(owner=entry.name, name=name, specifier=asked))
            if there is None or not is_allowed(wanted.specifier, there):
                line = f"{wanted.name}{wanted.specifier}"
                unmet.append(Missing(owner=entry.name, requirement=line, found=there or ""))
                changed.add(name)
    kept = tuple(bound for bound in bounds if bound.name in changed or _keeps_nvidia_wheel(bound))
    return Requirements(unmet=tuple(unmet), judged=judged, bounds=kept)


def _keeps_nvidia_wheel(bound: Bound) -> bool:
    known = bound.owner == "torch" or _NVIDIA_WHEEL.fullmatch(bound.owner)
    return not known and _NVIDIA_WHEEL.fullmatch(bound.name) is not None


def _iter_requirements(
    entry: MetadataFolder, values: Mapping[str, str]
) -> Iterator[ApplicableRequirement]:
    head = metadata.read_header(entry.get_file_path("METADATA"))
    head = head or metadata.read_header(entry.get_file_path("PKG-INFO"))
    for line in _REQUIRES_LINE.findall(head) if _FIELD_NAME in head else ():
        if _needs_extra(line.partition(";")[2]):
            if named := _NVIDIA_WHEEL.match(line):
                yield ApplicableRequirement(named[0], "", optional=True)
            continue
        plain = plain_versions.parse_requirement(line, values)
        wanted = _parse_with_packaging(line, values) if plain is None else plain
        if wanted:
            yield ApplicableRequirement(wanted[0], wanted[1])


def _needs_extra(marker: str) -> bool:
    """Can this marker only be true when an extra was asked for?"""
    bare = _PARENTHESES.sub("", marker)
    whole = bare if "extra" in bare and " or " not in bare else marker
    return all(_EXTRA_CLAUSE.search(part) for part in whole.split(" or "))


def _parse_with_packaging(line: str, values: Mapping[str, str]) -> tuple[str, ...]:
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


def is_allowed(specifier: str, installed_version: str) -> bool:
    """Is this version allowed? One that no standard reads counts as allowed."""
    plain = satisfies(specifier, installed_version)
    if plain is not None:
        return plain
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415

    try:
        version = Version(installed_version)
    except InvalidVersion:
        return True
    return SpecifierSet(specifier).contains(version, prereleases=True)


def build_marker_values(interpreter: Interpreter) -> dict[str, str]:
    """PEP 508's variables of the examined interpreter; it shares our platform."""
    minor = ".".join(interpreter.version.split(".")[:2])
    full = interpreter.version if interpreter.version.count(".") > 1 else f"{minor}.0"
    return {
        "python_version": minor,
        "python_full_version": full,
        "implementation_version": full,
        "extra": "",
    }
