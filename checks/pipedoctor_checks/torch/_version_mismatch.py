"""Whether a copy of a companion package was built for another torch."""

import msgspec

from pipedoctor.facts import (
    Distribution,
    Interpreter,
    Packages,
    Requirements,
    TorchBuild,
)
from pipedoctor.facts.world_torch import Pair, TorchPairs
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.versions import get_series, is_prerelease, parse_version

_TORCH_REQUIREMENT = compile_lazily(r"torch\s*(?:[<>=!~(\[;]|$)")


class VersionMismatch(msgspec.Struct, frozen=True, kw_only=True):
    """A copy that was built for another torch."""

    copy: Distribution
    wanted: str
    patch_only: bool = False


class VersionFacts(msgspec.Struct, frozen=True):
    """What is known about torch and its companions: no two have the same type."""

    packages: Packages
    pairs: TorchPairs
    requirements: Requirements | None
    torch: TorchBuild | None
    interpreter: Interpreter | None


def find_mismatch(copy: Distribution, torch: str, versions: VersionFacts) -> VersionMismatch | None:
    """Judge one copy of a package against torch; None: it fits, or is unknown."""
    for unmet in versions.requirements.unmet if versions.requirements else ():
        if unmet.owner == copy.name and _TORCH_REQUIREMENT.match(unmet.requirement):
            wanted = unmet.requirement.removeprefix("torch").strip(" ()")
            return VersionMismatch(
                copy=copy,
                wanted=wanted.removeprefix("=="),
                patch_only=_is_same_series(wanted, torch),
            )
    row = versions.pairs.find(copy.name, copy.version)
    near = row or versions.pairs.find_in_series(copy.name, copy.version)
    rough = row is None or is_prerelease(torch) or is_prerelease(copy.version)
    if near is None or not near.confirmed or _is_exempt(copy, torch, versions.packages):
        return None
    wanted = near.torch.removeprefix("==").removesuffix(".*")
    if rough:
        same = near.accepts_torch(torch) or _is_same_series(near.torch, torch)
        return None if same else VersionMismatch(copy=copy, wanted=_format_series(near))
    if near.accepts_torch(torch):
        return None
    return VersionMismatch(copy=copy, wanted=wanted, patch_only=_is_same_series(near.torch, torch))


def _is_exempt(copy: Distribution, torch: str, packages: Packages) -> bool:
    """Nightlies match by date, and conda-forge matches its own packages itself."""
    if is_prerelease(torch) and is_prerelease(copy.version):
        return True
    torches = (*packages.find_all("torch"), *packages.find_all("pytorch"))
    forge = "conda-forge"
    return copy.channel == forge and any(t.channel == forge for t in torches)


def _is_same_series(version: str, torch: str) -> bool:
    """Do they differ only in the patch level?"""
    exact = version.startswith("==")
    return exact and parse_version(version[2:])[:2] == parse_version(torch)[:2]


def _format_series(row: Pair) -> str:
    exact = row.torch.startswith("==")
    return f"{get_series(row.torch[2:])}" if exact else row.torch
