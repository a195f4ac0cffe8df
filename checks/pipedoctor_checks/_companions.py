"""torchvision and torchaudio as they go with a chosen torch."""

from pipedoctor.facts import Packages
from pipedoctor.facts.world_torch import TorchPairs
from pipedoctor.versions import reaches
from pipedoctor_checks._wheels import Choice

_STABLE_ABI = {"torchvision": "0.29.1", "torchaudio": "2.11"}
"""From here on one file serves every CUDA, so that no tag of an index is sure."""


def companions(
    pairs: TorchPairs, packages: Packages | None, choice: Choice
) -> tuple[str, ...]:
    """What must change together with torch, when it is installed."""
    return tuple(
        companion(pairs, name, choice)
        for name in ("torchvision", "torchaudio")
        if packages is not None and packages.find(name)
    )


def companion(pairs: TorchPairs, name: str, choice: Choice) -> str:
    """The requirement of this package that goes with the chosen torch."""
    row = pairs.newest_for(name, choice.torch)
    if row is None:
        return name
    if reaches(row.version, _STABLE_ABI.get(name, "0")):
        return f"{name}=={row.version}"
    return f"{name}=={row.version}+{choice.tag}"
