"""PDR845: was a binary built for a newer C library than this system has?"""

import re

from pipedoctor.check import CannotJudge, Confidence, Finding, Findings, Severity, check
from pipedoctor.facts import (
    Interpreter,
    Libraries,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
    Unmet,
)
from pipedoctor.remedy import Remedy
from pipedoctor.versions import reaches
from pipedoctor_checks import _pip
from pipedoctor_checks._manylinux import oldest_glibc, wheel_tags
from pipedoctor_checks._newer_system import newer_glibc

_SAID = re.compile(r"[`'\"]?(GLIBC_[\d.]+)'? not found")
_NO_GLIBC = "the version of the C library is not known, or it is not glibc"
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
    unmet = _unmet(libraries)
    said = _SAID.search(torch_import.error) if torch_import else None
    if not here and libraries is None and said is None:
        raise CannotJudge(_NO_GLIBC)
    tagged = {
        name: floor
        for name, tags in wheel_tags(packages, torch)
        if (floor := oldest_glibc(tags)) and here and not reaches(here, floor)
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
            "said": said.string if said else "",
        },
        confidence=Confidence.CERTAIN if certain else Confidence.LIKELY,
        remedies=(*_older_torch(interpreter, here, torch), *newer_glibc(site)),
    )


def _unmet(libraries: Libraries | None) -> list[Unmet]:
    found = libraries.unmet if libraries else ()
    return [entry for entry in found if "GLIBC_" in entry.versions[-1]]


def _older_torch(
    place: Interpreter | None, here: str, torch: TorchBuild | None
) -> tuple[Remedy, ...]:
    if torch is None or not here or reaches(here, _MODERN):
        return ()
    title = "Install torch 2.6, the last whose wheels run on this glibc"
    return (_pip.install(place, title, "torch==2.6.*"),)
