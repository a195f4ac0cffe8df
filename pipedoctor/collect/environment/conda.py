"""Read a conda environment's records, and which of them pip has written over."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.environment.packages import normalize_name
from pipedoctor.collect.environment.prefix import EnvironmentChoice, find_prefix
from pipedoctor.collect.machine import Machine, read_or_default
from pipedoctor.facts import Clobbered, Conda, CondaPackage, UnreadableError
from pipedoctor.facts.applicability import NO_CONDA
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce
from pipedoctor.runtime.path_kind import is_file

_CHANNEL_FIELD = re.compile(rb'"channel"\s*:\s*"([^"]{1,300})"')
_ANCHOR_PATH = re.compile(
    rb'"([^"]{1,300}/(?:site|dist)-packages/[^"/]{1,200}'
    rb'(?:\.dist-info/(?:RECORD|METADATA)|\.egg-info(?:/PKG-INFO)?))"'
)
_MAX_RECORD_BYTES = 32 << 20
_MAX_PINNED_BYTES = 1 << 20
_MAX_NAME_BYTES = 255
_METADATA_FOLDER = re.compile(
    r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info"
)


def conda(machine: Machine, choice: EnvironmentChoice, announce: Announce) -> Conda:
    """
    Read conda-meta; raises UnreadableError where conda did not make the environment.

    A record's *anchor* is the metadata file by which conda itself knows its Python
    package (conda/core/prefix_data.py). Gone or doubled, pip has been there.
    """
    prefix = find_prefix(choice, machine.environ)
    if not prefix.is_conda:
        message = f"{prefix.folder} {NO_CONDA}"
        raise UnreadableError(message)
    announce(f"reading {prefix.folder / 'conda-meta'}")
    packages: list[CondaPackage] = []
    clobbered: list[Clobbered] = []
    for file in sorted((prefix.folder / "conda-meta").glob("*.json")):
        text = _read_record(file)
        package = _parse_package(file, text)
        packages.append(package)
        clobbered += _find_clobbered(prefix.folder, package, text)
    return Conda(
        prefix=str(prefix.folder),
        packages=tuple(packages),
        clobbered=tuple(clobbered),
        frozen=is_file(prefix.folder / "conda-meta" / "frozen"),
        pinned=tuple(_read_pinned(prefix.folder / "conda-meta" / "pinned")),
    )


def _read_pinned(file: Path) -> list[str]:
    return read_or_default(file, max_bytes=_MAX_PINNED_BYTES).split("\n")[:-1]


def _read_record(file: Path) -> bytes:
    try:
        return regular_file.read_start(file, _MAX_RECORD_BYTES)
    except OSError:
        return b""


def _parse_package(file: Path, text: bytes) -> CondaPackage:
    """Parse the file's name: version and build, the last two, contain no dash."""
    name, version, build = ([*file.stem.rsplit("-", 2), "", ""])[:3]
    match = _CHANNEL_FIELD.search(text)
    channel = _shorten_channel(match[1].decode("utf-8", errors="replace")) if match else ""
    return CondaPackage(name=name, version=version, build=build, channel=channel)


def _shorten_channel(channel: str) -> str:
    """Reduce a channel's address to ``conda-forge``; a token in it is dropped."""
    path = re.sub(r"^[a-z]+://[^/]+/", "", channel)
    path = re.sub(r"(?:^|/)t/[^/]+(?=/)", "", path).strip("/")
    return re.sub(r"/(?:noarch|linux|osx|win)(?:-[\w]+)?$", "", path)


def _find_clobbered(folder: Path, package: CondaPackage, text: bytes) -> Iterator[Clobbered]:
    match = _ANCHOR_PATH.search(text)
    if match is None:
        return
    named_anchor = match[1].decode("utf-8", errors="replace")
    if not _is_in_prefix(named_anchor):
        return
    anchor = folder / named_anchor
    metadata = anchor if anchor.name.endswith("-info") else anchor.parent
    named = _METADATA_FOLDER.fullmatch(metadata.name)
    copies = list(_list_copies(metadata.parent, named["name"])) if named else []
    how = _describe_clobbering(anchor, metadata, copies, text)
    if how:
        others = [version for path, version in copies if path != metadata]
        name = normalize_name(named["name"]) if named else package.name
        yield Clobbered(
            name=name,
            package="" if package.name == name else package.name,
            conda_version=package.version,
            pip_version=others[0] if others else "",
            how=how,
        )


def _is_in_prefix(path: str) -> bool:
    """Can it be a file below the environment: no way out, and no impossible name?"""
    parts = path.split("/")
    plain = all(part and part != ".." and len(part.encode()) <= _MAX_NAME_BYTES for part in parts)
    return plain and "\0" not in path


def _list_copies(site: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Metadata folders of this distribution, under any spelling of its name."""
    first = re.escape(name[0])
    for path in sorted(site.glob(f"[{first.lower()}{first.upper()}]*-info")):
        match = _METADATA_FOLDER.fullmatch(path.name)
        if match and normalize_name(match["name"]) == normalize_name(name):
            yield path, match["version"]


def _describe_clobbering(
    anchor: Path, metadata: Path, copies: list[tuple[Path, str]], text: bytes
) -> str:
    if not anchor.exists():
        return "anchor missing"
    if len(copies) > 1:
        return "two metadata folders"
    installer = read_or_default(metadata / "INSTALLER", max_bytes=_MAX_PINNED_BYTES).strip()
    by_pip = installer in {"pip", "uv"}
    return "metadata replaced by pip" if by_pip and _is_anchor_altered(anchor, text) else ""


def _is_anchor_altered(anchor: Path, text: bytes) -> bool:
    """
    Is the anchor no longer the file that conda put there?

    Builds of some years left ``pip`` as the installer, so that alone proves nothing.
    """
    name = re.escape(anchor.as_posix().rpartition("-packages/")[2].encode())
    for entry in re.findall(rb'"_path"\s*:\s*"[^"]*-packages/' + name + rb'"[^}]*', text):
        if wanted := re.search(rb'"sha256_in_prefix"\s*:\s*"([0-9a-f]{64})"', entry):
            real = hashlib.sha256(_read_record(anchor)).hexdigest()
            return real.encode() != wanted[1]
    return False
