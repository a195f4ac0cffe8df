"""Compare installed files with what their distributions recorded of them."""

import base64
import csv
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from pipedoctor.collect import metadata
from pipedoctor.collect.interpreter import interpreter
from pipedoctor.collect.lanes import Announce
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.metadata import LARGE, Metadata
from pipedoctor.collect.mounts import legible
from pipedoctor.collect.prefix import Chosen
from pipedoctor.facts import Altered, InstalledFiles

_NAMED = 20
_CHUNK = 1 << 20
_ALGORITHMS = frozenset(("sha256", "sha384", "sha512"))
"""Those that the specification of RECORD allows."""
_OWN = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
"""Written by installers, which do not always record them."""


class _Recorded(NamedTuple):
    """A row of a RECORD: the path in it, where that is, and what was written there."""

    named: str
    path: str
    algorithm: str
    digest: str
    size: str


def installed_files(
    machine: Machine, chosen: Chosen, seconds: float, announce: Announce
) -> InstalledFiles:
    """Read every recorded file, the small ones first, for at most so long."""
    until = time.monotonic() + seconds
    here = interpreter(machine, chosen, announce)
    rows: list[tuple[int, int, _Recorded]] = []
    found = list(metadata.listed(here, [], announce))
    unrecorded: list[str] = []
    for number, copy in enumerate(found):
        recorded = list(_recorded(copy))
        if not recorded:
            unrecorded.append(copy.name)
        rows += [(_weight(row), number, row) for row in recorded]
    changed: dict[int, list[str]] = {}
    missing: dict[int, list[str]] = {}
    compared = unread = 0
    announce("comparing installed files with their records")
    for _, number, row in sorted(rows):
        if time.monotonic() > until:
            unread = len(rows) - compared
            break
        same = _same(row, until)
        if same is None:
            unread += 1
            continue
        compared += 1
        if not same:
            where = changed if os.path.lexists(row.path) else missing
            where.setdefault(number, []).append(legible(row.named))
    return InstalledFiles(
        entries=tuple(_altered(found, changed, missing)),
        compared=compared,
        unrecorded=tuple(dict.fromkeys(unrecorded)),
        unread=unread,
    )


def _altered(
    found: list[Metadata],
    changed: dict[int, list[str]],
    missing: dict[int, list[str]],
) -> Iterator[Altered]:
    """What was found of each distribution, by its number; files named up to a limit."""
    for number, copy in enumerate(found):
        if number in changed or number in missing:
            other, gone = changed.get(number, ()), missing.get(number, ())
            yield Altered(
                name=copy.name,
                version=copy.version,
                changed=tuple(other[:_NAMED]),
                missing=tuple(gone[:_NAMED]),
                changed_count=len(other),
                missing_count=len(gone),
            )


def _recorded(copy: Metadata) -> Iterator[_Recorded]:
    """Rows with a checksum, except what installers and Python write afterwards."""
    text = metadata.data(copy.path("RECORD"), LARGE)
    for line in text.decode("utf-8", errors="surrogateescape").splitlines():
        named, checksum, size = (*_row(line), "", "", "")[:3]
        algorithm, _, digest = checksum.partition("=")
        path = PurePosixPath(named)
        if algorithm not in _ALGORITHMS or path.name in _OWN or "\0" in named:
            continue
        whole = named if path.is_absolute() else f"{copy.folder}/{named}"
        yield _Recorded(named, whole, algorithm, digest, size)


def _row(line: str) -> list[str]:
    """Its cells; none where quotes make no sense, which concerns no other line."""
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line], strict=True), list[str]())
    except csv.Error:
        return []


def _weight(row: _Recorded) -> int:
    return int(row.size) if row.size.isdecimal() and row.size.isascii() else 0


def _same(row: _Recorded, until: float) -> bool | None:
    """Is the file as recorded? None: nobody could read it, or there was no time."""
    try:
        descriptor = os.open(row.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return False
        if row.size and status.st_size != _weight(row):
            return False
        return _digest(descriptor, row, until)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _digest(descriptor: int, row: _Recorded, until: float) -> bool | None:
    hashed = hashlib.new(row.algorithm)
    while part := os.read(descriptor, _CHUNK):
        hashed.update(part)
        if time.monotonic() > until:
            return None
    plain = base64.urlsafe_b64encode(hashed.digest()).rstrip(b"=").decode()
    return plain == row.digest.rstrip("=")
