"""
Reports that were kept on this machine: a bounded number, for their user alone.

They are kept redacted. The user's own book of aliases reads them back, so what
`read` returns compares with what is examined here today.
"""

import datetime as dt
import gzip
import os
import re
import secrets
import time
import zlib
from pathlib import Path
from typing import NamedTuple

from pipedoctor import state
from pipedoctor.collect import files
from pipedoctor.facts import Unreadable
from pipedoctor.report.json import LARGEST

MOST = 50
"""Reports; the oldest go first."""
MOST_BYTES = 16 << 20
OLDEST = 90 * 86400.0
"""Seconds after which a report goes."""
ABANDONED = 3600.0
"""Seconds after which a half-written file is nobody's any more."""

_NAME = re.compile(
    r"(\d{8}T\d{6}Z)-(breaks|risks|slows|note|fine)-[0-9a-f]{6}\.json\.gz"
)
_STAMP = "%Y%m%dT%H%M%SZ"


class Kept(NamedTuple):
    """A report that was kept: when it was made (UTC), where, what it says."""

    when: dt.datetime
    path: Path
    worst: str
    """The gravest severity in it: ``breaks`` ... ``note``, or ``fine``."""


class Unkept(Exception):  # noqa: N818  (what happened to the report)
    """A report that could not be kept; the message says why, in one line."""


def entries() -> list[Kept]:
    """Every kept report, newest first; none where the folder cannot be read."""
    try:
        names: list[str] = files.patiently("kept reports", lambda _: _names())
    except Unreadable:
        return []
    place = state.folder() / "reports"
    return [
        kept for name in sorted(names, reverse=True) if (kept := _kept(place, name))
    ]


def read(kept: Kept) -> bytes:
    """
    The JSON report, with the real names in place of this machine's aliases.

    Secrets stay masked. Raises Unreadable.
    """
    from pipedoctor.book import restore  # noqa: PLC0415  (most runs restore nothing)

    return restore(as_kept(kept))


def as_kept(kept: Kept) -> bytes:
    """The JSON report, redacted as it was sent; raises Unreadable."""
    data = files.load(str(kept.path), LARGEST)
    try:
        plain = zlib.decompressobj(wbits=31).decompress(data, LARGEST)
    except zlib.error as error:
        message = f"{kept.path}: damaged: {error}"
        raise Unreadable(message) from None
    return plain


def keep(report: bytes, worst: str, now: dt.datetime) -> Path:
    """Keep a JSON report and let go of what is too old or too much; raises Unkept."""
    name = f"{now.strftime(_STAMP)}-{worst or 'fine'}-{secrets.token_hex(3)}.json.gz"
    data = gzip.compress(report, 6, mtime=0)
    try:
        place = state.folder() / "reports"
        files.patiently("kept reports", lambda _: _keep(place, name, data))
    except (Unreadable, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unkept(reason or str(error)) from None
    return place / name


def _names() -> list[str]:
    try:
        return os.listdir(state.folder() / "reports")  # noqa: PTH208  (names only)
    except OSError as error:
        raise Unreadable(files.why(error)) from error


def _kept(place: Path, name: str) -> Kept | None:
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        when = dt.datetime.strptime(match[1], _STAMP).replace(tzinfo=dt.timezone.utc)
    except ValueError:
        return None
    return Kept(when, place / name, match[2])


def _keep(place: Path, name: str, data: bytes) -> bool:
    try:
        state.prepare(place)
        _prune(place, len(data))
        state.put(place / name, data)
    except OSError as error:
        message = f"{place}: {files.why(error)}"
        raise Unreadable(message) from error
    return True


def _prune(place: Path, coming: int) -> None:
    """Make room for one more; what another process has removed is gone as well."""
    now, room = time.time(), MOST_BYTES - coming
    number = 1
    for name in sorted(os.listdir(place), reverse=True):  # noqa: PTH208
        file = place / name
        try:
            seen = file.stat()
            if not _NAME.fullmatch(name):
                if name.startswith(".") and now - seen.st_mtime > ABANDONED:
                    file.unlink()
                continue
            number, room = number + 1, room - seen.st_size
            if number > MOST or room < 0 or now - seen.st_mtime > OLDEST:
                file.unlink()
        except FileNotFoundError:
            continue
