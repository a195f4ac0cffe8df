"""torchvision and torchaudio versions that match a chosen torch."""

from pipedoctor.facts import Packages
from pipedoctor.facts.world_torch import TorchPairs
from pipedoctor.versions import is_at_least
from pipedoctor_checks._shared.wheel_index import WheelChoice

COMPANIONS = ("torchvision", "torchaudio")
"""Packages whose versions belong to one of torch."""
_STABLE_ABI = {"torchvision": "0.29.1", "torchaudio": "2.11"}
"""From this version on one file serves every CUDA, so an index tag does not identify the build."""


def companion_requirements(
    pairs: TorchPairs, packages: Packages | None, choice: WheelChoice
) -> tuple[str, ...]:
    """
    What must change together with torch, when it is installed.

    Where a log says neither which packages there are nor which there are not, torchvision
    comes along: with it, nearly all have it, and without it a torch of another release breaks it.
    """
    return tuple(
        companion_requirement(pairs, name, choice)
        for name in COMPANIONS
        if _may_be_installed(packages, name)
    )


def _may_be_installed(packages: Packages | None, name: str) -> bool:
    if packages is not None and packages.find(name):
        return True
    return name == COMPANIONS[0] and (packages is None or not packages.complete)


def companion_requirement(pairs: TorchPairs, name: str, choice: WheelChoice) -> str:
    """The requirement of this package that matches the chosen torch."""
    row = pairs.find_newest(name, choice.torch)
    if row is None:
        return name
    if is_at_least(row.version, _STABLE_ABI.get(name, "0")):
        return f"{name}=={row.version}"
    return f"{name}=={row.version}+{choice.tag}"
