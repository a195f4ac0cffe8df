"""Reports in a folder that a URL names, read through fsspec where it is installed."""

import posixpath
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from pipedoctor.fleet.folder import TOO_LARGE_REASON, FolderError, is_report_name
from pipedoctor.fleet.reports import MAX_REPORT_BYTES, UnreadableReportError
from pipedoctor.privacy.secrets.search import mask_secrets

MISSING_FSSPEC = "URLs need fsspec: pip install 'pipedoctor[url]'"


def is_url(text: str) -> bool:
    """``s3://bucket/fleet`` and its like; a drive of Windows is none."""
    parts = urlsplit(text)
    return "://" in text and len(parts.scheme) > 1


def open_filesystem(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it; raises FolderError."""
    try:
        fsspec = import_module("fsspec")
    except ImportError:
        raise FolderError(MISSING_FSSPEC) from None
    try:
        found = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError, OSError) as error:
        message = f"{mask_secrets(url)}: {error}"
        raise FolderError(message) from None
    return found[0], str(found[1])


class RemoteFolder:
    """The same as a local folder, for what fsspec can list."""

    def __init__(self, url: str) -> None:
        self.path = url
        self._files, self._root = open_filesystem(url)
        self._sizes: dict[str, int | None] = {}
        self._odd: dict[str, str] = {}

    def list_names(self) -> list[str]:
        """Names of reports, sorted; raises FolderError."""
        try:
            entries = self._files.ls(self._root, detail=True)
        except (OSError, ValueError) as error:
            message = f"{mask_secrets(self.path)}: {_describe_error(error)}"
            raise FolderError(message) from None
        for entry in entries:
            name = posixpath.basename(str(entry["name"]).rstrip("/"))
            link = bool(entry.get("islink"))
            folder = entry.get("type") == "directory" and not link
            if not is_report_name(name) or folder:
                continue
            if link or entry.get("type") != "file":
                self._odd[name] = "a link" if link else "not a regular file"
            self._sizes[name] = entry.get("size")
        return sorted(self._sizes)

    def measure_size(self, name: str) -> int:
        """Bytes of one, or 0 where nobody knows."""
        return self._sizes.get(name) or 0

    def read_report(self, name: str) -> bytes:
        """The bytes of one report; raises UnreadableReportError."""
        if name in self._odd:
            raise UnreadableReportError(self._odd[name])
        if (self._sizes.get(name) or 0) > MAX_REPORT_BYTES:
            raise UnreadableReportError(TOO_LARGE_REASON)
        path = f"{self._root.rstrip('/')}/{name}"
        try:
            data = self._files.cat_file(path, start=0, end=MAX_REPORT_BYTES + 1)
        except (OSError, ValueError) as error:
            message = f"cannot be read: {_describe_error(error)}"
            raise UnreadableReportError(message) from None
        if len(data) > MAX_REPORT_BYTES:
            raise UnreadableReportError(TOO_LARGE_REASON)
        return bytes(data)


def _describe_error(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):  # most file systems give it the path alone
        return "No such file or directory"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return mask_secrets(str(text))
