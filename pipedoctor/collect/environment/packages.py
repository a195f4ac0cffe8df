"""List the distributions on the examined import path from their metadata folders."""

import functools
import os
import re
from collections.abc import Collection, Iterator

import msgspec

from pipedoctor.collect.environment import metadata
from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.metadata import MAX_SMALL_BYTES, MetadataFolder, normalize_name
from pipedoctor.collect.environment.ownership import find_shared_files
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Distribution, Interpreter, Packages
from pipedoctor.runtime.lanes import Announce

__all__ = ["list_installed", "normalize_name", "packages"]

_TAGGED_PACKAGES = frozenset(
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


def packages(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> Packages:
    """Every distribution of every folder of the path, the copy that wins first."""
    here = interpreter(machine, choice, announce)
    unreadable: list[str] = []
    found = list(metadata.list_metadata(here, unreadable, announce))
    entries = tuple(map(_read_distribution, found))
    announce("reading RECORD files")
    return Packages(
        entries=entries,
        shared=tuple(find_shared_files(found)),
        unreadable=tuple(unreadable),
    )


def list_installed(
    interpreter: Interpreter, announce: Announce, *, only: Collection[str] = ()
) -> Iterator[Distribution]:
    """Each distribution of the path; with `only`, those of these names."""
    for found in metadata.list_metadata(interpreter, [], announce):
        if not only or found.name in only:
            yield _read_distribution(found)


def _read_distribution(folder: MetadataFolder) -> Distribution:
    return Distribution(
        name=folder.name,
        version=folder.version,
        location=folder.folder,
        installer=_parse_installer(
            metadata.read_bytes(folder.get_file_path("INSTALLER"), MAX_SMALL_BYTES)
        ),
        origin=_read_origin(folder.get_file_path("direct_url.json")),
        tags=_read_tags(folder) if folder.name in _TAGGED_PACKAGES else (),
    )


@functools.lru_cache(maxsize=64)
def _parse_installer(content: bytes) -> str:
    words = content.decode("utf-8", errors="replace").strip()
    return words.partition(" ")[0][:40].lower()


def _read_origin(path: str) -> str:
    """Where a package from no index came from (PEP 610); its address is not kept."""
    if not os.access(path, os.R_OK) or not (text := metadata.read_text(path)):
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


def _read_tags(folder: MetadataFolder) -> tuple[str, ...]:
    text = metadata.read_text(folder.get_file_path("WHEEL"))
    return tuple(re.findall(r"^Tag:\s*(\S+)", text, flags=re.MULTILINE))
