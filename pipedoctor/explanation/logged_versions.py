"""The versions that a log tells, in the example of a machine with its illness."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from pipedoctor.facts import Distribution, Facts, Interpreter, Packages, TorchBuild
from pipedoctor.facts.log import Log
from pipedoctor.facts.world import World
from pipedoctor.facts.world_torch import TorchBuilds
from pipedoctor.versions import get_series

_CUDA_TAG = re.compile(r"cu(\d{1,2})(\d)")
_OF_VERSIONS = {
    **dict.fromkeys(("torch", "series", "build"), ""),
    "vision": "torchvision",
    "audio": "torchaudio",
    "python": "python",
}
"""Names of holes that versions of the log fill, with the package where that is not torch."""
_FAMILY = ("torch", "torchvision", "torchaudio")


def add_logged_versions(example: Facts, log: Log) -> Facts:
    """Where the example leaves open what is installed, what the log says of it."""
    versions = log.versions
    torch = example.get(TorchBuild)
    if torch is not None and not torch.version and "torch" in versions:
        example = example.merge(_describe_torch(torch, versions["torch"]))
    listed = example.get(Packages) or Packages(complete=False)
    more = [name for name in _FAMILY if name in versions and not listed.find(name)]
    if more:
        entries = (Distribution(name=name, version=versions[name]) for name in more)
        example = example.merge(replace(listed, entries=(*listed.entries, *entries)))
    if example.get(Interpreter) is None and "python" in versions:
        example = example.merge(Interpreter(version=f"{versions['python']}.0"))
    return example


def find_captured(log: Log, cause: str, name: str) -> str:
    """What a signature of the cause captured, else what the log says of its project."""
    value = log.find_value(cause, name)
    if value or name not in _OF_VERSIONS:
        return value or log.names.get(name, "")
    torch, _, build = log.versions.get("torch", "").partition("+")
    if name == "build" and log.find_value(cause, "torch") not in ("", torch):
        return ""
    known = {"torch": torch, "build": build, "series": get_series(torch) if torch else ""}
    return known.get(name) or log.versions.get(_OF_VERSIONS[name], "").partition("+")[0]


def add_default_build(log: Log, tables: Iterable[World]) -> Log:
    """With the ``default_build`` of a torch of PyPI, whose versions do not say it."""
    torch = log.versions.get("torch", "")
    builds = next((table for table in tables if isinstance(table, TorchBuilds)), None)
    if builds is None or not torch or "+" in torch or log.system == "windows":
        return log
    wheel = builds.find_default_wheel(torch)
    return replace(log, names={**log.names, "default_build": wheel.tag}) if wheel else log


def _describe_torch(example: TorchBuild, version: str) -> TorchBuild:
    """Its build is that of the log, where that has the CUDA of the illness at all."""
    number, _, local = version.partition("+")
    tag = _CUDA_TAG.fullmatch(local)
    if tag and example.cuda:
        return replace(example, version=number, local=local, cuda=f"{tag[1]}.{tag[2]}")
    kept = local if local == "cpu" and not example.cuda else example.local
    return replace(example, version=number, local=kept)
