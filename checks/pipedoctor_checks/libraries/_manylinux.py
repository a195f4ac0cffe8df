"""The oldest C library that the tags of wheels promise to support (PEP 600)."""

from collections.abc import Iterator

from pipedoctor.facts import Packages, TorchBuild
from pipedoctor.lazy_pattern import compile_lazily

_MANYLINUX_TAG = compile_lazily(r"manylinux_(\d+)_(\d+)_|manylinux(2014|2010|1)_")
_LEGACY_TAGS = {"2014": "2.17", "2010": "2.12", "1": "2.5"}


def wheel_tags(packages: Packages | None, torch: TorchBuild | None) -> Iterator[tuple[str, str]]:
    """Each package whose tags are known, with its tags."""
    if torch is not None and torch.wheel_tag:
        yield "torch", torch.wheel_tag
    for entry in packages.entries if packages else ():
        if entry.tags and entry.name != "torch":
            yield entry.name, " ".join(entry.tags)


def oldest_glibc(tags: str) -> str:
    """The oldest glibc of all tags of a wheel, any one of which is sufficient."""
    found = (
        f"{major}.{minor}" if major else _LEGACY_TAGS[old]
        for major, minor, old in _MANYLINUX_TAG.findall(tags)
    )
    return min(found, key=lambda version: tuple(map(int, version.split("."))), default="")
