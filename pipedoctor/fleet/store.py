"""Put a node's report into the folder of a fleet: whole, or not at all."""

import os
import posixpath

from pipedoctor.facts import UnreadableError
from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.remote_folder import is_url, open_filesystem
from pipedoctor.privacy.secrets.search import mask_secrets
from pipedoctor.runtime import files
from pipedoctor.runtime.atomic_write import write_atomically
from pipedoctor.textsafe import escape_surrogates

WRITE_TIMEOUT = 30.0
"""Seconds that a folder may take for one file: a thousand nodes write at once."""


def make_absolute(place: str) -> str:
    """The same folder by a name that is one from everywhere; a URL as it is."""
    return place if is_url(place) else os.path.abspath(place)  # noqa: PTH100  (keeps links)


def check_target(place: str) -> None:
    """Raise FolderError where a folder is not there; URLs are found out in time."""
    if is_url(place):
        open_filesystem(place)
        return
    try:
        kind = files.find_kind(place)  # the first that touches it: what hangs costs one wait
    except UnreadableError as error:
        reason: str | None = str(error)
    else:
        gone = None if kind else files.find_missing([place]).get(place)
        reason = gone or (None if kind == "folder" else "not a folder")
        reason = reason and f"{reason}; expected an existing folder that all nodes can reach"
    if reason is not None:
        message = f"{escape_surrogates(place)}: {reason}"
        raise FolderError(message)


def store_report(place: str, name: str, data: bytes) -> None:
    """Write under a name with a dot first, then rename; raises FolderError."""
    if is_url(place):
        _write_to_url(place, name, data)
        return
    try:
        files.run_with_timeout(
            place, lambda _: _write_file(place, name, data), timeout=WRITE_TIMEOUT
        )
    except UnreadableError as error:
        message = f"{escape_surrogates(place)}: {name} cannot be written: {error}"
        raise FolderError(message) from None


def _write_file(place: str, name: str, data: bytes) -> None:
    try:
        write_atomically(os.path.join(place, name), data, mode=0o644)  # noqa: PTH118
    except OSError as error:
        raise UnreadableError(files.describe_error(error)) from error


def _write_to_url(place: str, name: str, data: bytes) -> None:
    found, root = open_filesystem(place)
    target = posixpath.join(root, name)
    draft = posixpath.join(root, f".{name}.{os.getpid()}")
    try:
        found.pipe_file(draft, data)
        found.mv(draft, target)
    except (OSError, ValueError, NotImplementedError) as error:
        message = f"{mask_secrets(place)}: {name} cannot be written: {mask_secrets(str(error))}"
        raise FolderError(message) from None
