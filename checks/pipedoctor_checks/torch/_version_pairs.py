"""Whether a companion package was built for the installed torch."""

from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Confidence, Finding, NotApplicable, Remedy, Severity
from pipedoctor.facts import Distribution, Packages
from pipedoctor.versions import is_prerelease
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.companion_versions import COMPANIONS, companion_requirement
from pipedoctor_checks._shared.pip_command import pip_argv
from pipedoctor_checks._shared.wheel_index import WheelChoice
from pipedoctor_checks.torch._version_mismatch import VersionFacts, find_mismatch
from pipedoctor_checks.torch._wheel_tags import INDEX_TAG


def judge_package(package: str, versions: VersionFacts) -> Iterator[Finding]:
    """
    Compare the imported copy of a package with torch.

    If a text lists several copies and not which of them is imported, one that matches
    is enough.
    """
    packages, torch = versions.packages, versions.torch
    copies = imported_copies(packages, package)
    here = torch.version if torch else _listed_torch(packages)
    if not copies or not here:
        who = package if here else "torch"
        reason = f"{who} is not {'installed' if packages.complete else 'in this text'}"
        raise NotApplicable(reason) if packages.complete else CannotJudge(reason)
    misfits = [find_mismatch(copy, here, versions) for copy in copies]
    found = [one for one in misfits if one is not None]
    if not found or len(found) < len(copies):
        return
    first = found[0]
    sure = not is_prerelease(here) and not is_prerelease(first.copy.version)
    yield Finding(
        severity=Severity.RISKS if first.patch_only else Severity.BREAKS,
        summary=f"{package} {first.copy.version} was built for torch {first.wanted}, but torch"
        f" {here} is installed",
        evidence={package: first.copy.version, "torch": here, "wanted": first.wanted},
        confidence=Confidence.CERTAIN if sure else Confidence.LIKELY,
        remedies=_install_matching(package, here, versions),
    )


def imported_copies(packages: Packages, package: str) -> tuple[Distribution, ...]:
    """The copy that an import uses, or all if that is unknown."""
    copies = packages.find_all(package)
    return copies[:1] if copies and copies[0].location else copies


def _listed_torch(packages: Packages) -> str:
    found = packages.find("torch") or packages.find("pytorch")
    return found.version.partition("+")[0] if found else ""


def _install_matching(package: str, here: str, versions: VersionFacts) -> tuple[Remedy, ...]:
    """The versions that belong to this torch, all in one line, from torch's own index."""
    torch = versions.torch
    row = versions.pairs.find_newest(package, here)
    if row is None or is_prerelease(here) or (torch and torch.conda_build):
        title = f"Install torch and {package} in one command, from one source"
        return (advise_user(title),)
    tag = torch.local if torch and INDEX_TAG.fullmatch(torch.local) else ""
    packages = (package, *_find_other_misfits(package, here, versions))
    names = [_require(name, here, tag, versions) for name in packages]
    index = ("--index-url", WheelChoice(torch=here, tag=tag).index) if tag else ()
    was = "was" if len(packages) == 1 else "were"
    return (
        advise_user(
            f"Install the {' and '.join(packages)} that {was} built for torch {here}",
            argv=(*pip_argv(versions.interpreter, "install"), *names, *index),
        ),
    )


def _require(package: str, here: str, tag: str, versions: VersionFacts) -> str:
    if tag:
        choice = WheelChoice(torch=here, tag=tag)
        return companion_requirement(versions.pairs, package, choice)
    row = versions.pairs.find_newest(package, here)
    return f"{package}=={row.version}" if row else package


def _find_other_misfits(package: str, here: str, versions: VersionFacts) -> Iterator[str]:
    """Other companions that do not fit either: the line for one must not leave them."""
    for other in COMPANIONS:
        copies = imported_copies(versions.packages, other) if other != package else ()
        misfits = [find_mismatch(copy, here, versions) for copy in copies]
        if misfits and all(misfits) and versions.pairs.find_newest(other, here):
            yield other
