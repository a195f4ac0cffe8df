"""Whether a companion package was built for the torch that is here."""

import re
from collections.abc import Iterator

import msgspec

from pipedoctor.check import CannotJudge, Confidence, Finding, Severity
from pipedoctor.facts import (
    Distribution,
    Interpreter,
    Packages,
    Requirements,
    TorchBuild,
)
from pipedoctor.facts.world_torch import Pair, TorchPairs
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.versions import numbers, series, unreleased
from pipedoctor_checks._install import companion, installer
from pipedoctor_checks._tags import TAG
from pipedoctor_checks._wheels import Choice

_TORCH = re.compile(r"torch\s*(?:[<>=!~(\[;]|$)")


class Misfit(msgspec.Struct, frozen=True, kw_only=True):
    """A copy that was built for another torch."""

    copy: Distribution
    wanted: str
    patch_only: bool = False


class Known(msgspec.Struct, frozen=True):
    """What is known of torch and its companions: no two are of one type."""

    packages: Packages
    pairs: TorchPairs
    requirements: Requirements | None
    torch: TorchBuild | None
    interpreter: Interpreter | None


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
    misfits = [_misfit(copy, here, known) for copy in copies]
    found = [misfit for misfit in misfits if misfit is not None]
    if not found or len(found) < len(copies):
        return
    misfit = found[0]
    sure = not unreleased(here) and not unreleased(misfit.copy.version)
    yield Finding(
        severity=Severity.RISKS if misfit.patch_only else Severity.BREAKS,
        summary=f"{package} {misfit.copy.version} was built for torch {misfit.wanted}, "
        f"here is torch {here}",
        evidence={package: misfit.copy.version, "torch": here, "wanted": misfit.wanted},
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


def _misfit(copy: Distribution, torch: str, known: Known) -> Misfit | None:
    """Judge one copy; None: it fits, or nobody knows."""
    for unmet in known.requirements.unmet if known.requirements else ():
        if unmet.owner == copy.name and _TORCH.match(unmet.requirement):
            wanted = unmet.requirement.removeprefix("torch").strip(" ()")
            return Misfit(copy=copy, wanted=wanted, patch_only=_close(wanted, torch))
    row = known.pairs.find(copy.name, copy.version)
    near = row or known.pairs.of_series(copy.name, copy.version)
    rough = row is None or unreleased(torch) or unreleased(copy.version)
    if near is None or not near.confirmed or _left_alone(copy, torch, known.packages):
        return None
    wanted = near.torch.removeprefix("==").removesuffix(".*")
    if rough:
        same = near.fits(torch) or _close(near.torch, torch)
        return None if same else Misfit(copy=copy, wanted=_series_of(near))
    if near.fits(torch):
        return None
    return Misfit(copy=copy, wanted=wanted, patch_only=_close(near.torch, torch))


def _left_alone(copy: Distribution, torch: str, packages: Packages) -> bool:
    """Two nightlies pair by day, and conda-forge pairs its own packages itself."""
    if unreleased(torch) and unreleased(copy.version):
        return True
    torches = (*packages.all("torch"), *packages.all("pytorch"))
    forge = "conda-forge"
    return copy.channel == forge and any(t.channel == forge for t in torches)


def _close(wanted: str, torch: str) -> bool:
    """Is only the patch level another?"""
    exact = wanted.startswith("==")
    return exact and numbers(wanted[2:])[:2] == numbers(torch)[:2]


def _series_of(row: Pair) -> str:
    exact = row.torch.startswith("==")
    return f"{series(row.torch[2:])}" if exact else row.torch


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
            argv=(*installer(known.interpreter or Interpreter()), name, *index),
            lasts=Lasts.ALWAYS,
            advice=True,
        ),
    )
