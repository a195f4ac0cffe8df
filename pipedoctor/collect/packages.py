"""List the distributions on the examined import path from their metadata folders."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.ownership import shared_files
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import Distribution, Interpreter, Packages

_FOLDER = re.compile(
    r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py\d[\d.]*.*)?\.(?:dist|egg)-info"
)
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
    found = list(installed(here, unreadable, announce))
    announce("reading RECORD files")
    return Packages(
        entries=tuple(distribution for _, distribution in found),
        shared=tuple(shared_files(found)),
        unreadable=tuple(unreadable),
    )


def installed(
    here: Interpreter, unreadable: list[str], announce: Announce
) -> Iterator[tuple[Path, Distribution]]:
    """Each metadata folder of the path and what it describes."""
    for name in here.path:
        announce(f"listing {name}")
        yield from _of_folder(Path(name), unreadable)


def normal(name: str) -> str:
    """A name as the index knows it: lower case, runs of ``-_.`` are one dash."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _of_folder(
    folder: Path, unreadable: list[str]
) -> Iterator[tuple[Path, Distribution]]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return
    for name in names:
        if not name.endswith((".dist-info", ".egg-info")):
            continue
        metadata = folder / name
        match = _FOLDER.fullmatch(name)
        said = (match["name"], match["version"]) if match else _stated(metadata)
        if said is None:
            unreadable.append(f"{metadata}: no version, neither in its name nor in it")
        else:
            yield metadata, _distribution(metadata, *said)


def _stated(metadata: Path) -> tuple[str, str] | None:
    """Name and version as the file says, for folders whose name does not tell."""
    for name in ("METADATA", "PKG-INFO"):
        head = read_or(metadata / name).partition("\n\n")[0]
        fields = dict(re.findall(r"^(Name|Version):\s*(\S+)", head, flags=re.MULTILINE))
        if len(fields) == 2:  # noqa: PLR2004  (both of them)
            return fields["Name"], fields["Version"]
    return None


def _distribution(metadata: Path, name: str, version: str) -> Distribution:
    called = normal(name)
    installer = read_or(metadata / "INSTALLER").strip()
    return Distribution(
        name=called,
        version=version,
        location=str(metadata.parent),
        installer=installer[:40].lower(),
        origin=_origin(metadata),
        tags=_tags(metadata) if called in _BINARY else (),
    )


def _origin(metadata: Path) -> str:
    """Where a package from no index came from (PEP 610); its address is not kept."""
    text = read_or(metadata / "direct_url.json")
    if not text:
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


def _tags(metadata: Path) -> tuple[str, ...]:
    text = read_or(metadata / "WHEEL")
    return tuple(re.findall(r"^Tag:\s*(\S+)", text, flags=re.MULTILINE))
