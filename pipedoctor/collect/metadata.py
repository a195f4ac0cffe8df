"""Find the metadata folders of installed distributions, and read a small file fast."""

import os
import re
from collections.abc import Iterator

import msgspec

from pipedoctor.collect.lanes import Announce
from pipedoctor.facts import Interpreter

_FOLDER = re.compile(
    r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py\d[\d.]*.*)?\.(?:dist|egg)-info"
)
_FIELDS = re.compile(r"^(Name|Version):\s*(\S+)", re.MULTILINE)
_HEADER = 8 << 10
SMALL = 1 << 20
LARGE = 64 << 20


class Metadata(msgspec.Struct, frozen=True):
    """A metadata folder; `name` is normalised."""

    folder: str
    """The folder of the import path that it lies in."""
    entry: str
    name: str
    version: str

    def path(self, name: str) -> str:
        """One of its files."""
        return f"{self.folder}/{self.entry}/{name}"


def normal(name: str) -> str:
    """A name as the index knows it: lower case, runs of ``-_.`` are one dash."""
    plain = name.replace("_", "-").replace(".", "-").lower()
    while "--" in plain:  # hardly ever; a pattern would cost each name three times
        plain = plain.replace("--", "-")
    return plain


def listed(
    here: Interpreter, unreadable: list[str], announce: Announce
) -> Iterator[Metadata]:
    """Each metadata folder of the path, the copy that wins first."""
    for folder in here.path:
        announce(f"listing {folder}")
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208  (names, no objects)
        except OSError:
            continue
        for entry in names:
            if entry.endswith((".dist-info", ".egg-info")):
                said = _named(entry) or _stated(f"{folder}/{entry}")
                if said is None:
                    why = "no version, neither in its name nor in it"
                    unreadable.append(f"{folder}/{entry}: {why}")
                else:
                    yield Metadata(folder, entry, normal(said[0]), said[1])


def _named(entry: str) -> tuple[str, ...] | None:
    """Name and version as the folder is called; most are ``name-1.0.dist-info``."""
    name, _, version = entry.removesuffix(".dist-info").partition("-")
    if name.isidentifier() and version[:1].isdecimal() and "-" not in version:
        return name, version
    match = _FOLDER.fullmatch(entry)
    return match.groups() if match else None


def _stated(metadata: str) -> tuple[str, ...] | None:
    """Name and version as the file says, for folders whose name does not tell."""
    for name in ("METADATA", "PKG-INFO"):
        fields = dict(_FIELDS.findall(header(f"{metadata}/{name}")))
        if len(fields) == 2:  # noqa: PLR2004  (both of them)
            return fields["Name"], fields["Version"]
    return None


def text(path: str) -> str:
    """A file that may well be absent: empty then; line ends as on Unix."""
    return _decoded(data(path, SMALL))


def header(path: str) -> str:
    """What stands before the first blank line; behind it most have a long text."""
    read = data(path, _HEADER)
    if len(read) == _HEADER and b"\n\n" not in read and b"\n\r\n" not in read:
        read = data(path, SMALL)
    return _decoded(read).partition("\n\n")[0]


def _decoded(read: bytes) -> str:
    return read.decode("utf-8", errors="replace").replace("\r\n", "\n")


def data(path: str, most: int) -> bytes:
    """
    The first bytes of a file, or none.

    By descriptor: with a thousand small files, `open` alone costs as much as reading.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return b""
    try:
        size = min(os.fstat(descriptor).st_size, most)
        parts: list[bytes] = []
        while size > 0 and (part := os.read(descriptor, size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
