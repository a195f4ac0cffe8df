"""PDR845: was a binary built for a newer C library than this system has?"""

import re
from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import (
    Interpreter,
    Libraries,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
)
from pipedoctor.remedy import Remedy
from pipedoctor.versions import reaches
from pipedoctor_checks import _pip
from pipedoctor_checks._newer_system import newer_glibc

_TAG = re.compile(r"manylinux_(\d+)_(\d+)_|manylinux(2014|2010|1)_")
_OLD = {"2014": "2.17", "2010": "2.12", "1": "2.5"}
_SAID = re.compile(r"[`'\"]?(GLIBC_[\d.]+)'? not found")
_MODERN = "2.28"
"""Every Linux wheel of torch from 2.7 on wants this; 2.6 is the last before."""


@check("PDR845", "The C library is older than a binary needs")
def glibc_too_old(
    interpreter: Interpreter | None,
    libraries: Libraries | None,
    packages: Packages | None,
    torch: TorchBuild | None,
    torch_import: TorchImport | None,
    site: Site | None,
    /,
) -> Findings:
    """
    Compare what wheels and their files want of glibc with the one that is here.

    ## Why it hurts

    `libc.so.6: version 'GLIBC_2.28' not found`: the import ends there. The C library
    belongs to the distribution and cannot be exchanged alone.

    ## How it is judged

    Certainly by the symbol versions inside the files, or by what the import said. A
    wheel whose tag (`manylinux_2_28`) asks for more than is here is a risk even where
    no file shows it: pip would not have installed it on this system.

    ## Sources

    - https://peps.python.org/pep-0600/
    - https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    """
    here = interpreter.glibc if interpreter else ""
    unmet = (
        [u for u in libraries.unmet if "GLIBC_" in u.versions[-1]] if libraries else []
    )
    said = _SAID.search(torch_import.error) if torch_import else None
    if not here and libraries is None and said is None:
        message = "the version of the C library is not known, or it is not glibc"
        raise CannotJudge(message)
    tagged = {
        name: floor
        for name, tags in _tags(packages, torch)
        if (floor := _floor(tags)) and here and not reaches(here, floor)
    }
    if unmet:
        who, what = unmet[0].wanted_by, unmet[0].versions[-1].removeprefix("GLIBC_")
    elif said:
        who, what = "torch", said[1].removeprefix("GLIBC_")
    elif tagged:
        who, what = next(iter(tagged.items()))
    else:
        return
    certain = bool(unmet or said)
    yield Finding(
        severity=Severity.BREAKS if certain else Severity.RISKS,
        summary=f"{who} needs glibc {what}, here is {here or 'an older one'}",
        evidence={
            "glibc": here,
            "unmet": {u.wanted_by: list(u.versions) for u in unmet},
            "wheels": tagged,
            "said": torch_import.error if said and torch_import else "",
        },
        confidence=Confidence.CERTAIN if certain else Confidence.LIKELY,
        remedies=(*_older_torch(interpreter, here, torch), *newer_glibc(site)),
    )


def _tags(
    packages: Packages | None, torch: TorchBuild | None
) -> Iterator[tuple[str, str]]:
    if torch is not None and torch.wheel_tag:
        yield "torch", torch.wheel_tag
    for entry in packages.entries if packages else ():
        if entry.tags and entry.name != "torch":
            yield entry.name, " ".join(entry.tags)


def _floor(tags: str) -> str:
    """The oldest glibc of all tags of a wheel, each of which would do alone."""
    found = (
        f"{major}.{minor}" if major else _OLD[old]
        for major, minor, old in _TAG.findall(tags)
    )
    return min(
        found, key=lambda version: tuple(map(int, version.split("."))), default=""
    )


def _older_torch(
    place: Interpreter | None, here: str, torch: TorchBuild | None
) -> tuple[Remedy, ...]:
    if torch is None or not here or reaches(here, _MODERN):
        return ()
    title = "Install torch 2.6, the last whose wheels run on this glibc"
    return (_pip.install(place, title, "torch==2.6.*"),)
