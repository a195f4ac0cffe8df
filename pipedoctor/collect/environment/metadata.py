"""Find the metadata folders of installed distributions, and read a small file fast."""

import os
import re
from collections.abc import Iterator

import msgspec

from pipedoctor.facts import Interpreter
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce

_FOLDER_NAME = re.compile(
    r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py\d[\d.]*.*)?\.(?:dist|egg)-info"
)
_NAME_VERSION = re.compile(r"^(Name|Version):\s*(\S+)", re.MULTILINE)
_HEADER_BYTES = 8 << 10
MAX_SMALL_BYTES = 1 << 20
_MAX_RECORD_BYTES = 16 << 20
_MAX_RECORD_LINES = 200_000
"""Files of one distribution; the largest on the index have some 60,000."""


class MetadataFolder(msgspec.Struct, frozen=True):
    """A metadata folder; `name` is normalised."""

    folder: str
    """The folder of the import path that it lies in."""
    entry: str
    name: str
    version: str

    def get_file_path(self, name: str) -> str:
        """One of its files."""
        return f"{self.folder}/{self.entry}/{name}"


def normalize_name(name: str) -> str:
    """A name as the index knows it: lower case, runs of ``-_.`` are one dash."""
    plain = name.replace("_", "-").replace(".", "-").lower()
    while "--" in plain:  # hardly ever; a pattern would cost each name three times
        plain = plain.replace("--", "-")
    return plain


def list_metadata(
    interpreter: Interpreter, unreadable: list[str], announce: Announce
) -> Iterator[MetadataFolder]:
    """Each metadata folder of the path, the copy that wins first."""
    for folder in interpreter.path:
        announce(f"listing {folder}")
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208  (names, no objects)
        except OSError:
            continue
        for entry in names:
            if entry.endswith((".dist-info", ".egg-info")):
                name_version = _parse_folder_name(entry) or _read_name_version(f"{folder}/{entry}")
                if name_version is None:
                    why = "no version in its name or its metadata"
                    unreadable.append(f"{folder}/{entry}: {why}")
                else:
                    yield MetadataFolder(
                        folder, entry, normalize_name(name_version[0]), name_version[1]
                    )


def _parse_folder_name(entry: str) -> tuple[str, ...] | None:
    """Name and version as the folder is called; most are ``name-1.0.dist-info``."""
    name, _, version = entry.removesuffix(".dist-info").partition("-")
    if name.isidentifier() and version[:1].isdecimal() and "-" not in version:
        return name, version
    match = _FOLDER_NAME.fullmatch(entry)
    return match.groups() if match else None


def _read_name_version(metadata: str) -> tuple[str, ...] | None:
    """Name and version as the file says, for folders whose name does not tell."""
    for name in ("METADATA", "PKG-INFO"):
        fields = dict(_NAME_VERSION.findall(read_header(f"{metadata}/{name}")))
        if len(fields) == 2:  # noqa: PLR2004  (both of them)
            return fields["Name"], fields["Version"]
    return None


def read_text(path: str) -> str:
    """Read a file as text with Unix line ends; empty where it is absent."""
    return _decode(read_bytes(path, MAX_SMALL_BYTES))


def read_header(path: str) -> str:
    """Read what stands before the first blank line."""
    read = read_bytes(path, _HEADER_BYTES)
    if len(read) == _HEADER_BYTES and b"\n\n" not in read and b"\n\r\n" not in read:
        read = read_bytes(path, MAX_SMALL_BYTES)
    return _decode(read).partition("\n\n")[0]


def _decode(content: bytes) -> str:
    return content.decode("utf-8", errors="replace").replace("\r\n", "\n")


def read_record(copy: MetadataFolder) -> bytes:
    """Read the RECORD of a distribution: as many rows as any has, or none."""
    data = read_bytes(copy.get_file_path("RECORD"), _MAX_RECORD_BYTES)
    if data.count(b"\n") <= _MAX_RECORD_LINES:
        return data
    return data[: _find_line_end(data, _MAX_RECORD_LINES)]


def _find_line_end(data: bytes, number: int) -> int:
    end = -1
    for _ in range(number):
        end = data.find(b"\n", end + 1)
    return end


def read_bytes(path: str, max_bytes: int) -> bytes:
    """The first bytes of a regular file, or none."""
    try:
        return regular_file.read_start(path, max_bytes)
    except OSError:
        return b""
