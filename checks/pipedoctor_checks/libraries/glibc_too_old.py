"""PDR845: was a binary built for a newer C library than this system has?"""

from pipedoctor.check import (
    CannotJudge,
    Confidence,
    Finding,
    Findings,
    Remedy,
    Severity,
    check,
)
from pipedoctor.facts import (
    Interpreter,
    Libraries,
    Packages,
    Site,
    TorchBuild,
    TorchImport,
    Unmet,
)
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import is_at_least, parse_version
from pipedoctor_checks._shared import pip_command
from pipedoctor_checks._shared.companion_versions import COMPANIONS
from pipedoctor_checks.libraries._manylinux import oldest_glibc, wheel_tags
from pipedoctor_checks.libraries._newer_system import get_newer_glibc

_GLIBC_ERROR = compile_lazily(r"[`'\"]?(GLIBC_[\d.]+)'? not found")
_UNKNOWN_GLIBC = "the version of the C library is not known, or it is not glibc"
_GLIBC_OF_NEW_WHEELS = "2.28"
"""Every Linux wheel of torch from 2.7 on needs this glibc; 2.6 is the last before."""


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
    Compare the glibc that wheels and their files need with the installed one.

    ## Why it hurts

    `libc.so.6: version 'GLIBC_2.28' not found`: the import fails. The C library is part
    of the distribution and cannot be replaced on its own.

    ## How it is judged

    Certain if it is based on the symbol versions inside the files, or on the error of
    the import. A wheel whose tag (`manylinux_2_28`) requires a newer version is a risk
    even if no file shows it: pip would not have installed it on this system.

    ## Sources

    - https://peps.python.org/pep-0600/
    - https://github.com/pytorch/pytorch/blob/main/RELEASE.md
    """
    here = interpreter.glibc if interpreter else ""
    unmet = _find_unmet(libraries)
    error = _GLIBC_ERROR.search(torch_import.error) if torch_import else None
    if not here and libraries is None and error is None:
        raise CannotJudge(_UNKNOWN_GLIBC)
    tagged = _find_newer_wheels(packages, torch, here)
    if unmet:
        newest = max(unmet, key=lambda entry: parse_version(_get_wanted(entry)))
        who, what = newest.wanted_by, _get_wanted(newest)
    elif error:
        who, what = "torch", error[1].removeprefix("GLIBC_")
    elif tagged:
        who, what = max(tagged.items(), key=lambda pair: parse_version(pair[1]))
    else:
        return
    certain = bool(unmet or error)
    yield Finding(
        severity=Severity.BREAKS if certain else Severity.RISKS,
        summary=f"{who} needs glibc {what}, but this system has {here or 'an older one'}",
        evidence={
            "glibc": here,
            "unmet": {u.wanted_by: list(u.versions) for u in unmet},
            "wheels": tagged,
            "said": error.string if error else "",
        },
        confidence=Confidence.CERTAIN if certain else Confidence.LIKELY,
        remedies=_install_older_torch(interpreter, here, torch, packages)
        + tuple(get_newer_glibc(site)),
    )


def _find_newer_wheels(
    packages: Packages | None, torch: TorchBuild | None, glibc: str
) -> dict[str, str]:
    """Packages whose tags require a newer glibc than the one here, with the one they require."""
    return {
        name: floor
        for name, tags in wheel_tags(packages, torch)
        if (floor := oldest_glibc(tags)) and glibc and not is_at_least(glibc, floor)
    }


def _get_wanted(entry: Unmet) -> str:
    """The newest glibc that is missing: ``2.34``."""
    return entry.versions[-1].removeprefix("GLIBC_")


def _find_unmet(libraries: Libraries | None) -> list[Unmet]:
    found = libraries.unmet if libraries else ()
    return [entry for entry in found if "GLIBC_" in entry.versions[-1]]


def _install_older_torch(
    place: Interpreter | None, glibc: str, torch: TorchBuild | None, packages: Packages | None
) -> tuple[Remedy, ...]:
    if torch is None or not glibc or is_at_least(glibc, _GLIBC_OF_NEW_WHEELS):
        return ()
    title = "Install torch 2.6, the last whose wheels run on this glibc"
    others = [name for name in COMPANIONS if packages is not None and packages.find(name)]
    return (pip_command.install(place, title, "torch==2.6.*", *others),)
