"""The tags of torch's indices: ``cu126``, ``cpu``, ``rocm7.2``."""

import re

from pipedoctor.facts import Interpreter, TorchBuild
from pipedoctor.facts.world_torch import TorchBuilds, TorchPairs
from pipedoctor.remedy import Lasts, Remedy
from pipedoctor.versions import series
from pipedoctor_checks._companions import companion
from pipedoctor_checks._pip import argv
from pipedoctor_checks._wheels import Choice

TAG = re.compile(r"cpu|xpu|cu\d+|rocm[\d.]+")


def own(torch: TorchBuild) -> str:
    """Say what this torch is built for, as a tag of an index; empty: not known."""
    if TAG.fullmatch(torch.local):
        return torch.local
    if torch.local or torch.conda_build or not torch.known_backend:
        return ""
    if torch.cuda:
        return f"cu{series(torch.cuda).replace('.', '')}"
    return "cpu" if torch.cpu_only and torch.origin != "text" else ""


def same_index(
    torch: TorchBuild,
    own: str,
    builds: TorchBuilds,
    pairs: TorchPairs,
    interpreter: Interpreter | None,
) -> tuple[Remedy, ...]:
    """Take torchvision from the index that torch came from."""
    wheel = builds.wheel(torch.version, torch.cuda)
    if own != "cpu" and (wheel is None or wheel.tag != own):
        title = "Install torch and torchvision in one command, from one index"
        return (Remedy(title=title, lasts=Lasts.ALWAYS, advice=True),)
    choice = Choice(torch=torch.version, tag=own)
    name = companion(pairs, "torchvision", choice)
    return (
        Remedy(
            title="Install torchvision from the index that torch came from",
            argv=(
                *argv(interpreter, "install"),
                name,
                "--index-url",
                choice.index,
            ),
            lasts=Lasts.ALWAYS,
            advice=True,
        ),
    )
