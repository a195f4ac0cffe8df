"""
Reports that were kept on this machine: a bounded number, for their user alone.

They are kept redacted. The user's own book of aliases reads them back, so what
`read_restored` returns compares with what is examined here today.
"""

import contextlib
import datetime as dt
import gzip
import re
import secrets
import time
import zlib
from pathlib import Path
from typing import NamedTuple

from pipedoctor.facts import UnreadableError
from pipedoctor.report.json import MAX_REPORT_BYTES
from pipedoctor.runtime import files, state_dir
from pipedoctor.runtime.verified_folder import VerifiedFolder

MAX_REPORTS = 50
"""Reports; the oldest go first."""
MAX_TOTAL_BYTES = 16 << 20
MAX_AGE = 90 * 86400.0
"""Seconds after which a report goes."""
_FOLDER_NAME = "reports"
_FILE_NAME = re.compile(r"(\d{8}T\d{6}Z)-(breaks|risks|slows|note|fine)-[0-9a-f]{6}\.json\.gz")
_TIME_FORMAT = "%Y%m%dT%H%M%SZ"


class ArchivedReport(NamedTuple):
    """
    A report in the archive.

    When it was made (UTC), where it lies, its worst severity.
    """

    created: dt.datetime
    path: Path
    worst_severity: str
    """The gravest severity in it: ``breaks`` ... ``note``, or ``fine``."""


class ArchiveError(Exception):
    """A report that could not be kept; the message says why, in one line."""


def list_reports() -> list[ArchivedReport]:
    """
    Every kept report, newest first; none where the folder cannot be read.

    Raises FileTimeoutError where it does not answer: then nobody knows.
    """
    try:
        where, names = files.run_with_timeout("kept reports", lambda _: _list_names())
    except files.FileTimeoutError:
        raise
    except UnreadableError:
        return []
    place = Path(where)
    return [kept for name in sorted(names, reverse=True) if (kept := _parse_name(place, name))]


def read_restored(archived_report: ArchivedReport) -> bytes:
    """
    The JSON report, with the real names in place of this machine's aliases.

    Secrets stay masked. Raises UnreadableError.
    """
    from pipedoctor.privacy.alias_book import restore_names  # noqa: PLC0415  (most runs restore nothing)

    return restore_names(read_redacted(archived_report))


def read_redacted(archived_report: ArchivedReport) -> bytes:
    """The JSON report, redacted as it was sent; raises UnreadableError."""
    name = archived_report.path.name
    data = files.run_with_timeout("kept reports", lambda _: _read_report(name))
    try:
        plain = zlib.decompressobj(wbits=31).decompress(data, MAX_REPORT_BYTES)
    except zlib.error as error:
        message = f"{archived_report.path}: damaged: {error}"
        raise UnreadableError(message) from None
    return plain


def save_report(report: bytes, worst: str, now: dt.datetime) -> Path:
    """Keep a JSON report and let go of what is too old or too much; raises ArchiveError."""
    name = f"{now.strftime(_TIME_FORMAT)}-{worst or 'fine'}-{secrets.token_hex(3)}.json.gz"
    data = gzip.compress(report, 6, mtime=0)
    try:
        place = files.run_with_timeout("kept reports", lambda _: _write_report(name, data))
    except UnreadableError as error:
        raise ArchiveError(str(error)) from None
    return Path(place, name)


def _open_folder(*, create: bool = False) -> VerifiedFolder:
    with state_dir.open_state_folder(create=create) as home:
        return home.open_folder(_FOLDER_NAME, create=create)


def _list_names() -> tuple[str, list[str]]:
    try:
        with _open_folder() as place:
            return place.path, place.list_names()
    except OSError as error:
        raise UnreadableError(files.describe_error(error)) from error


def _read_report(name: str) -> bytes:
    try:
        with _open_folder() as place:
            return place.read(name, MAX_REPORT_BYTES)
    except OSError as error:
        message = f"{name}: {files.describe_error(error)}"
        raise UnreadableError(message) from error


def _parse_name(place: Path, name: str) -> ArchivedReport | None:
    match = _FILE_NAME.fullmatch(name)
    if match is None:
        return None
    try:
        when = dt.datetime.strptime(match[1], _TIME_FORMAT).replace(tzinfo=dt.timezone.utc)
    except ValueError:
        return None
    return ArchivedReport(when, place / name, match[2])


def _write_report(name: str, data: bytes) -> str:
    """Write one more report; the path of the folder that it is in."""
    try:
        with _open_folder(create=True) as place:
            _prune_reports(place, len(data))
            place.write(name, data)
            return place.path
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{files.describe_error(error)}"
        raise UnreadableError(message) from error


def _prune_reports(place: VerifiedFolder, incoming_bytes: int) -> None:
    """Make room for one more; only reports go, and drafts that nobody is writing any more."""
    now, room = time.time(), MAX_TOTAL_BYTES - incoming_bytes
    number = 1
    place.remove_old_drafts()
    for name in filter(_FILE_NAME.fullmatch, reversed(place.list_names())):
        with contextlib.suppress(FileNotFoundError):  # another process has removed it
            seen = place.stat(name)
            number, room = number + 1, room - seen.st_size
            if number > MAX_REPORTS or room < 0 or now - seen.st_mtime > MAX_AGE:
                place.remove(name)
