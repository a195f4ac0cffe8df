"""The tags of torch's indices: ``cu126``, ``cpu``, ``rocm7.2``."""

import re

from pipedoctor.check import Remedy
from pipedoctor.facts import Interpreter, TorchBuild
from pipedoctor.facts.world_torch import TorchBuilds, TorchPairs
from pipedoctor.versions import get_series
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks._shared.companion_versions import companion_requirement
from pipedoctor_checks._shared.pip_command import pip_argv
from pipedoctor_checks._shared.wheel_index import WheelChoice

INDEX_TAG = re.compile(r"cpu|xpu|cu\d+|rocm[\d.]+")


def find_index_tag(torch: TorchBuild) -> str:
    """Return the tag of the index that fits this torch; empty: unknown."""
    if INDEX_TAG.fullmatch(torch.local):
        return torch.local
    if torch.local or torch.conda_build or not torch.known_backend:
        return ""
    if torch.cuda:
        return f"cu{get_series(torch.cuda).replace('.', '')}"
    return "cpu" if torch.is_cpu_only and torch.origin != "text" else ""


def install_from_index(
    torch: TorchBuild,
    tag: str,
    builds: TorchBuilds,
    pairs: TorchPairs,
    interpreter: Interpreter | None,
) -> tuple[Remedy, ...]:
    """Install torchvision from the index that torch came from."""
    wheel = builds.find_wheel(torch.version, torch.cuda)
    if tag != "cpu" and (wheel is None or wheel.tag != tag):
        title = "Install torch and torchvision in one command, from one index"
        return (advise_user(title),)
    choice = WheelChoice(torch=torch.version, tag=tag)
    name = companion_requirement(pairs, "torchvision", choice)
    return (
        advise_user(
            "Install torchvision from the index that torch came from",
            argv=(
                *pip_argv(interpreter, "install"),
                name,
                "--index-url",
                choice.index,
            ),
        ),
    )
