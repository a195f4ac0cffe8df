"""Compare installed files with what their distributions recorded of them."""

import base64
import csv
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from pipedoctor.collect.environment import metadata
from pipedoctor.collect.environment.interpreter import interpreter
from pipedoctor.collect.environment.metadata import MetadataFolder
from pipedoctor.collect.environment.prefix import EnvironmentChoice
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import InstalledFiles, ModifiedDistribution
from pipedoctor.runtime import regular_file
from pipedoctor.runtime.lanes import Announce

_MAX_LISTED = 20
_CHUNK_BYTES = 1 << 20
_HASH_ALGORITHMS = frozenset(("sha256", "sha384", "sha512"))
"""Those that the specification of RECORD allows."""
_INSTALLER_FILES = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Written by installers, which do not always record them."""


class _RecordRow(NamedTuple):
    """A row of a RECORD: the path in it, where that is, and what was written there."""

    recorded_path: str
    path: str
    algorithm: str
    digest: str
    size: str


def installed_files(
    machine: Machine, choice: EnvironmentChoice, seconds: float, announce: Announce
) -> InstalledFiles:
    """Read every recorded file, the small ones first, for at most so long."""
    until = time.monotonic() + seconds
    here = interpreter(machine, choice, announce)
    rows: list[tuple[int, int, _RecordRow]] = []
    found = list(metadata.list_metadata(here, [], announce))
    unrecorded: list[str] = []
    for number, copy in enumerate(found):
        recorded = list(_read_record_rows(copy))
        if not recorded:
            unrecorded.append(copy.name)
        rows += [(_get_recorded_size(row), number, row) for row in recorded]
    changed: dict[int, list[str]] = {}
    missing: dict[int, list[str]] = {}
    compared = unread = 0
    announce("comparing installed files with their records")
    for _, number, row in sorted(rows):
        if time.monotonic() > until:
            unread = len(rows) - compared
            break
        same = _is_unchanged(row, until)
        if same is None:
            unread += 1
            continue
        compared += 1
        if not same:
            where = changed if os.path.lexists(row.path) else missing
            where.setdefault(number, []).append(escape_path(row.recorded_path))
    return InstalledFiles(
        entries=tuple(_list_modified(found, changed, missing)),
        compared=compared,
        unrecorded=tuple(dict.fromkeys(unrecorded)),
        unread=unread,
    )


def _list_modified(
    folders: list[MetadataFolder],
    owners_by_file: dict[int, list[str]],
    missing: dict[int, list[str]],
) -> Iterator[ModifiedDistribution]:
    """What was found of each distribution, by its number; files named up to a limit."""
    for number, copy in enumerate(folders):
        if number in owners_by_file or number in missing:
            other, gone = owners_by_file.get(number, ()), missing.get(number, ())
            yield ModifiedDistribution(
                name=copy.name,
                version=copy.version,
                changed=tuple(other[:_MAX_LISTED]),
                missing=tuple(gone[:_MAX_LISTED]),
                changed_count=len(other),
                missing_count=len(gone),
            )


def _read_record_rows(copy: MetadataFolder) -> Iterator[_RecordRow]:
    """Rows with a checksum, except what installers and Python write afterwards."""
    text = metadata.read_record(copy)
    for line in text.decode("utf-8", errors="surrogateescape").splitlines():
        named, checksum, size = (*_split_row(line), "", "", "")[:3]
        algorithm, _, digest = checksum.partition("=")
        path = PurePosixPath(named)
        if algorithm not in _HASH_ALGORITHMS or path.name in _INSTALLER_FILES or "\0" in named:
            continue
        whole = named if path.is_absolute() else f"{copy.folder}/{named}"
        yield _RecordRow(named, whole, algorithm, digest, size)


def _split_row(line: str) -> list[str]:
    """Split a row into cells; none where its quotes are broken."""
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line], strict=True), list[str]())
    except csv.Error:
        return []


def _get_recorded_size(row: _RecordRow) -> int:
    return int(row.size) if row.size.isdecimal() and row.size.isascii() else 0


def _is_unchanged(row: _RecordRow, until: float) -> bool | None:
    """Is the file as recorded? None: nobody could read it, or there was no time."""
    try:
        descriptor = regular_file.open_regular(row.path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, regular_file.NotRegularError):
        return False
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if row.size and status.st_size != _get_recorded_size(row):
            return False
        return _matches_digest(descriptor, row, until)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _matches_digest(descriptor: int, row: _RecordRow, until: float) -> bool | None:
    hashed = hashlib.new(row.algorithm)
    while part := os.read(descriptor, _CHUNK_BYTES):
        hashed.update(part)
        if time.monotonic() > until:
            return None
    plain = base64.urlsafe_b64encode(hashed.digest()).rstrip(b"=").decode()
    return plain == row.digest.rstrip("=")
