"""Whether a companion package was built for the torch that is here."""

from collections.abc import Iterator

from pipedoctor.check import CannotJudge, Confidence, Finding, Severity
from pipedoctor.facts import (
    Distribution,
    Packages,
)
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.versions import unreleased
from pipedoctor_checks._companions import companion
from pipedoctor_checks._misfit import Known, misfit
from pipedoctor_checks._pip import argv
from pipedoctor_checks._tags import TAG
from pipedoctor_checks._wheels import Choice


def judge(package: str, known: Known) -> Iterator[Finding]:
    """
    Compare the imported copy of a package with torch.

    Where a text lists several copies and not which of them is imported, one that
    fits is enough.
    """
    packages, torch = known.packages, known.torch
    copies = imported(packages, package)
    here = torch.version if torch else _listed(packages)
    if not copies or not here:
        who = package if here else "torch"
        reason = f"{who} is not {'installed' if packages.complete else 'in this text'}"
        raise CannotJudge(reason)
    misfits = [misfit(copy, here, known) for copy in copies]
    found = [one for one in misfits if one is not None]
    if not found or len(found) < len(copies):
        return
    first = found[0]
    sure = not unreleased(here) and not unreleased(first.copy.version)
    yield Finding(
        severity=Severity.RISKS if first.patch_only else Severity.BREAKS,
        summary=f"{package} {first.copy.version} was built for torch {first.wanted}, "
        f"here is torch {here}",
        evidence={package: first.copy.version, "torch": here, "wanted": first.wanted},
        confidence=Confidence.CERTAIN if sure else Confidence.LIKELY,
        remedies=_remedies(package, here, known),
    )


def imported(packages: Packages, package: str) -> tuple[Distribution, ...]:
    """The copy that an import takes, or all where nobody knows which it is."""
    copies = packages.all(package)
    return copies[:1] if copies and copies[0].location else copies


def _listed(packages: Packages) -> str:
    found = packages.find("torch") or packages.find("pytorch")
    return found.version.partition("+")[0] if found else ""


def _remedies(package: str, here: str, known: Known) -> tuple[Remedy, ...]:
    """The version that belongs to this torch, from torch's own index."""
    torch = known.torch
    row = known.pairs.newest_for(package, here)
    if row is None or unreleased(here) or (torch and torch.conda_build):
        title = f"Install torch and {package} in one command, from one source"
        return (Remedy(title=title, lasts=Lasts.ALWAYS, advice=True),)
    tag = torch.local if torch and TAG.fullmatch(torch.local) else ""
    choice = Choice(torch=here, tag=tag)
    name = f"{package}=={row.version}"
    if tag:
        name = companion(known.pairs, package, choice)
    index = ("--index-url", choice.index) if tag else ()
    return (
        Remedy(
            title=f"Install the {package} that was built for torch {here}",
            argv=(*argv(known.interpreter, "install"), name, *index),
            lasts=Lasts.ALWAYS,
            advice=True,
        ),
    )
