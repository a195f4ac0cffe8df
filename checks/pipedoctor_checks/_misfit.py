"""Whether one copy of a companion package was built for another torch."""

import re

import msgspec

from pipedoctor.facts import (
    Distribution,
    Interpreter,
    Packages,
    Requirements,
    TorchBuild,
)
from pipedoctor.facts.world_torch import Pair, TorchPairs
from pipedoctor.versions import numbers, series, unreleased

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


def misfit(copy: Distribution, torch: str, known: Known) -> Misfit | None:
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
