"""List the distributions on the examined import path from their metadata folders."""

import functools
import os
import re
from collections.abc import Collection, Iterator

import msgspec

from pipedoctor.collect import metadata
from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.metadata import SMALL, Metadata, normal
from pipedoctor.collect.ownership import shared_files
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import Distribution, Interpreter, Packages

__all__ = ["installed", "normal", "packages"]

_BINARY = frozenset(
    (
        "torch",
        "torchvision",
        "torchaudio",
        "torchcodec",
        "numpy",
        "pillow",
        "pillow-simd",
    )
)
"""Packages whose wheel tag is worth knowing."""


def packages(machine: Machine, chosen: Chosen, announce: Announce) -> Packages:
    """Every distribution of every folder of the path, the copy that wins first."""
    here = interpreter(machine, chosen, announce)
    unreadable: list[str] = []
    found = list(metadata.listed(here, unreadable, announce))
    entries = tuple(map(_distribution, found))
    announce("reading RECORD files")
    return Packages(
        entries=entries,
        shared=tuple(shared_files(found)),
        unreadable=tuple(unreadable),
    )


def installed(
    here: Interpreter, announce: Announce, *, only: Collection[str] = ()
) -> Iterator[Distribution]:
    """Each distribution of the path; with `only`, those of these names."""
    for found in metadata.listed(here, [], announce):
        if not only or found.name in only:
            yield _distribution(found)


def _distribution(found: Metadata) -> Distribution:
    return Distribution(
        name=found.name,
        version=found.version,
        location=found.folder,
        installer=_installer(metadata.data(found.path("INSTALLER"), SMALL)),
        origin=_origin(found.path("direct_url.json")),
        tags=_tags(found) if found.name in _BINARY else (),
    )


@functools.lru_cache(maxsize=64)
def _installer(said: bytes) -> str:
    words = said.decode("utf-8", errors="replace").strip()
    return words.partition(" ")[0][:40].lower()


def _origin(path: str) -> str:
    """Where a package from no index came from (PEP 610); its address is not kept."""
    if not os.access(path, os.R_OK) or not (text := metadata.text(path)):
        return ""
    try:
        record = msgspec.json.decode(text, type=dict[str, object])
    except msgspec.DecodeError:
        return "url"
    match record:
        case {"dir_info": {"editable": True}}:
            return "editable"
        case {"dir_info": _}:
            return "directory"
        case {"vcs_info": _}:
            return "vcs"
        case _:
            return "url"


def _tags(found: Metadata) -> tuple[str, ...]:
    text = metadata.text(found.path("WHEEL"))
    return tuple(re.findall(r"^Tag:\s*(\S+)", text, flags=re.MULTILINE))
