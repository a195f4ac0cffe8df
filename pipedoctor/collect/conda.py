"""Read a conda environment's records, and which of them pip has written over."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine, read_or
from pipedoctor.collect.packages import normal
from pipedoctor.collect.prefix import Chosen, find
from pipedoctor.facts import Clobbered, Conda, CondaPackage, Unreadable

_CHANNEL = re.compile(rb'"channel"\s*:\s*"([^"]{1,300})"')
_ANCHOR = re.compile(
    rb'"([^"]{1,300}/(?:site|dist)-packages/[^"/]{1,200}'
    rb'(?:\.dist-info/(?:RECORD|METADATA)|\.egg-info(?:/PKG-INFO)?))"'
)
_LARGEST = 32 << 20
_FOLDER = re.compile(
    r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info"
)


def conda(machine: Machine, chosen: Chosen, announce: Announce) -> Conda:
    """
    Read conda-meta; raises Unreadable where conda did not make the environment.

    A record's *anchor* is the metadata file by which conda itself knows its Python
    package (conda/core/prefix_data.py). Gone or doubled, pip has been there.
    """
    prefix = find(chosen, machine.environ)
    if not prefix.conda:
        message = f"{prefix.folder} is no conda environment"
        raise Unreadable(message)
    announce(f"reading {prefix.folder / 'conda-meta'}")
    packages: list[CondaPackage] = []
    clobbered: list[Clobbered] = []
    for file in sorted((prefix.folder / "conda-meta").glob("*.json")):
        text = _head(file)
        package = _package(file, text)
        packages.append(package)
        clobbered += _clobbered(prefix.folder, package, text)
    return Conda(
        prefix=str(prefix.folder),
        packages=tuple(packages),
        clobbered=tuple(clobbered),
        frozen=(prefix.folder / "conda-meta" / "frozen").is_file(),
        pinned=tuple(read_or(prefix.folder / "conda-meta" / "pinned").split("\n")[:-1]),
    )


def _head(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(_LARGEST)
    except OSError:
        return b""


def _package(file: Path, text: bytes) -> CondaPackage:
    """Name, version and build stand in the file's name: the last two have no dash."""
    name, version, build = ([*file.stem.rsplit("-", 2), "", ""])[:3]
    match = _CHANNEL.search(text)
    channel = _short(match[1].decode("utf-8", errors="replace")) if match else ""
    return CondaPackage(name=name, version=version, build=build, channel=channel)


def _short(channel: str) -> str:
    """``conda-forge`` of an address; a token in it is never kept."""
    path = re.sub(r"^[a-z]+://[^/]+/", "", channel)
    path = re.sub(r"(?:^|/)t/[^/]+(?=/)", "", path).strip("/")
    return re.sub(r"/(?:noarch|linux|osx|win)(?:-[\w]+)?$", "", path)


def _clobbered(folder: Path, package: CondaPackage, text: bytes) -> Iterator[Clobbered]:
    match = _ANCHOR.search(text)
    if match is None:
        return
    anchor = folder / match[1].decode("utf-8", errors="replace")
    metadata = anchor if anchor.name.endswith("-info") else anchor.parent
    named = _FOLDER.fullmatch(metadata.name)
    copies = list(_copies(metadata.parent, named["name"])) if named else []
    how = _how(anchor, metadata, copies, text)
    if how:
        others = [version for path, version in copies if path != metadata]
        name = normal(named["name"]) if named else package.name
        yield Clobbered(
            name=name,
            package="" if package.name == name else package.name,
            conda_version=package.version,
            pip_version=others[0] if others else "",
            how=how,
        )


def _copies(site: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Metadata folders of this distribution, under any spelling of its name."""
    first = re.escape(name[0])
    for path in sorted(site.glob(f"[{first.lower()}{first.upper()}]*-info")):
        match = _FOLDER.fullmatch(path.name)
        if match and normal(match["name"]) == normal(name):
            yield path, match["version"]


def _how(
    anchor: Path, metadata: Path, copies: list[tuple[Path, str]], text: bytes
) -> str:
    if not anchor.exists():
        return "anchor missing"
    if len(copies) > 1:
        return "two metadata folders"
    by_pip = read_or(metadata / "INSTALLER").strip() in {"pip", "uv"}
    return "metadata replaced by pip" if by_pip and _altered(anchor, text) else ""


def _altered(anchor: Path, text: bytes) -> bool:
    """
    Is the anchor no longer the file that conda put there?

    Builds of some years left ``pip`` as the installer, so that alone proves nothing.
    """
    name = re.escape(anchor.as_posix().rpartition("-packages/")[2].encode())
    for entry in re.findall(
        rb'"_path"\s*:\s*"[^"]*-packages/' + name + rb'"[^}]*', text
    ):
        if wanted := re.search(rb'"sha256_in_prefix"\s*:\s*"([0-9a-f]{64})"', entry):
            real = hashlib.sha256(anchor.read_bytes()).hexdigest()
            return real.encode() != wanted[1]
    return False
