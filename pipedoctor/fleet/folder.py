"""Reports in a folder of this machine: what is a report, and its bytes or a reason."""

import errno
import os
import stat
from collections.abc import Iterator

from pipedoctor.facts import UnreadableError
from pipedoctor.fleet.reports import MAX_REPORT_BYTES, UnreadableReportError
from pipedoctor.runtime import files
from pipedoctor.textsafe import escape_surrogates

READ_TIMEOUT = 10.0
"""Seconds in which a folder has to answer at all."""
_FILE_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
TOO_LARGE_REASON = f"larger than {MAX_REPORT_BYTES >> 20} MiB"


class FolderError(Exception):
    """A folder of reports cannot be read; the message names it and says why."""


class LocalFolder:
    """Entries of a folder that end in ``.json`` and do not begin with a dot."""

    def __init__(self, path: str) -> None:
        self.path = path

    def list_names(self) -> list[str]:
        """Names of reports, sorted; raises FolderError."""
        path = self.path
        try:
            found = files.run_with_timeout(path, lambda _: _list_folder(path), timeout=READ_TIMEOUT)
        except UnreadableError as error:
            message = f"{escape_surrogates(path)}: {error}"
            raise FolderError(message) from None
        return [os.fsdecode(name.encode("latin-1")) for name in found]

    def measure_size(self, name: str) -> int:
        """Bytes of one, or 0 where nobody knows."""
        try:
            return os.lstat(os.path.join(self.path, name)).st_size  # noqa: PTH118
        except OSError:
            return 0

    def read_report(self, name: str) -> bytes:
        """
        The bytes of one report; raises UnreadableReportError.

        What is not a regular file is told from its entry alone and never opened.
        """
        path = os.path.join(self.path, name)  # noqa: PTH118
        try:
            return _read_bytes(path)
        except OSError as error:
            if error.errno == errno.ELOOP:
                reason = "a link"
            else:
                reason = f"cannot be read: {files.describe_error(error)}"
            raise UnreadableReportError(reason) from None


def is_report_name(name: str) -> bool:
    """Does an entry of this name count as a report at all?"""
    return name.endswith(".json") and not name.startswith(".")


def _list_folder(path: str) -> list[str]:
    """Names as latin-1, for what runs apart hands back plain text."""
    try:
        return sorted(os.fsencode(name).decode("latin-1") for name in _list_names(path))
    except OSError as error:
        raise UnreadableError(files.describe_error(error)) from error


def _list_names(path: str) -> Iterator[str]:
    with os.scandir(path) as entries:
        for entry in entries:
            if is_report_name(entry.name) and not entry.is_dir(follow_symlinks=False):
                yield entry.name


def _read_bytes(path: str) -> bytes:
    there = os.lstat(path)
    _check_plain_file(there)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    try:
        size = os.fstat(descriptor)
        _check_plain_file(size)  # it may be another one by now
        data = os.read(descriptor, size.st_size + 1)
        while len(data) <= MAX_REPORT_BYTES and (more := os.read(descriptor, 1 << 20)):
            data += more
    finally:
        os.close(descriptor)
    if len(data) > MAX_REPORT_BYTES:
        raise UnreadableReportError(TOO_LARGE_REASON)
    return data


def _check_plain_file(status: os.stat_result) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFLNK:
        message = "a link"
        raise UnreadableReportError(message)
    if kind != stat.S_IFREG:
        raise UnreadableReportError(_FILE_KINDS.get(kind, "not a regular file"))
    if status.st_size > MAX_REPORT_BYTES:
        raise UnreadableReportError(TOO_LARGE_REASON)
