"""The versions that a log tells, in the example of a machine with its illness."""

import re

from msgspec.structs import replace

from pipedoctor.facts import Distribution, Facts, Interpreter, Packages, TorchBuild
from pipedoctor.facts.log import Log

_CUDA_TAG = re.compile(r"cu(\d{1,2})(\d)")
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


def _describe_torch(example: TorchBuild, version: str) -> TorchBuild:
    """Its build is that of the log, where that has the CUDA of the illness at all."""
    number, _, local = version.partition("+")
    tag = _CUDA_TAG.fullmatch(local)
    if tag and example.cuda:
        return replace(example, version=number, local=local, cuda=f"{tag[1]}.{tag[2]}")
    kept = local if local == "cpu" and not example.cuda else example.local
    return replace(example, version=number, local=kept)
