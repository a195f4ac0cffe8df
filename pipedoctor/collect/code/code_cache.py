"""
Facts about code that was read before, by everything that they depend on.

An entry is data with a checksum. One that is damaged, cut off or of another version is
as good as none: it is written again. Nothing here ever raises.
"""

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pipedoctor.source.discover.files import SourceFile as File
from pipedoctor.source.project_reading import ProjectReading
from pipedoctor.source.syntax.line_fingerprints import find_repository
from pipedoctor.version import __version__

if TYPE_CHECKING:
    from pipedoctor.runtime.verified_folder import VerifiedFolder

FORMAT_HEADER = b"pipedoctor code 2\n"
_DIGEST_SIZE = 32
MAX_BYTES = 128 << 20
MAX_ENTRIES = 2000
_SUFFIX = ".facts"
_MAX_ENTRY_BYTES = 64 << 20
_ENTRY_NAME = re.compile(rf"[0-9a-f]{{{2 * _DIGEST_SIZE}}}{re.escape(_SUFFIX)}")


class CodeCache(NamedTuple):
    """A folder of cached results; `folder` is None where nothing is cached."""

    folder: "VerifiedFolder | None"

    def get(self, key: str) -> ProjectReading | None:
        """Return the result of this key; None where it is absent or damaged."""
        if self.folder is None:
            return None
        name = f"{key}{_SUFFIX}"
        try:
            data = self.folder.read(name, _MAX_ENTRY_BYTES)
            self.folder.touch(name)
        except OSError:
            return None
        return _decode_entry(data, key)

    def put(self, key: str, result: ProjectReading) -> None:
        """Store the result; errors of the file system are ignored."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError, UnicodeEncodeError):
            packed = msgspec.msgpack.encode(result)
            checked = FORMAT_HEADER + compute_checksum(packed, key) + packed
            self.folder.write(f"{key}{_SUFFIX}", checked)

    def trim(self) -> None:
        """Delete the entries unused for the longest until the limits hold."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            self.folder.remove_old_drafts()
            entries = sorted(_list_entries(self.folder), reverse=True)
            kept = 0
            for number, (_, size, name) in enumerate(entries):
                kept += size
                if kept > MAX_BYTES or number >= MAX_ENTRIES:
                    with contextlib.suppress(OSError):
                        self.folder.remove(name)

    def close(self) -> None:
        """Close the folder."""
        if self.folder is not None:
            self.folder.close()


def open_cache(directory: str, *, enabled: bool) -> CodeCache:
    """The cache that the user names, or the usual one; none where it is not safe."""
    if not enabled:
        return CodeCache(None)
    from pipedoctor.runtime import state_dir  # noqa: PLC0415  (5 ms, and many ask for no cache)

    try:
        folder = Path(directory) if directory else _find_default_folder() / "code"
        return CodeCache(state_dir.open_private_folder(folder, create=True))
    except (OSError, RuntimeError, ValueError):
        return CodeCache(None)


def _find_default_folder() -> Path:
    import platformdirs  # noqa: PLC0415  (as above)

    return Path(platformdirs.user_cache_dir("pipedoctor", appauthor=False))


def compute_key(project: Iterable[File], display_path: Callable[[str], str], engine: bytes) -> str:
    """Hash everything that the facts of a project depend on; `engine` as it is described."""
    whole = hashlib.blake2b(FORMAT_HEADER + engine, digest_size=_DIGEST_SIZE)
    tops: dict[str, str] = {}
    for file in project:
        name = display_path(file.path)
        there = os.path.exists(name)  # noqa: PTH110  (many files, and it is quicker)
        top = find_repository(os.path.dirname(name), tops)  # noqa: PTH120
        header = f"{len(file.text)}\0{name}\0{there}\0{top}\0"
        whole.update(header.encode("utf-8", "surrogateescape"))
        whole.update(hashlib.blake2b(file.text, digest_size=_DIGEST_SIZE).digest())
    return whole.hexdigest()


def describe_engine() -> bytes:
    """Describe version, Python and the reader's own files, which developers edit."""
    files = [f"{name} {size} {changed}" for name, size, changed in sorted(_list_own_files())]
    python = f"{sys.implementation.name} {sys.version_info[:3]}"
    return "\n".join([__version__, python, *files]).encode()


def _list_own_files() -> Iterator[tuple[str, int, int]]:
    home = Path(__file__).parents[1]
    for top in (home / "source", home / "facts"):
        for file in top.rglob("*.py"):
            status = file.stat()
            name = file.relative_to(home).as_posix()
            yield name, status.st_size, status.st_mtime_ns


def compute_checksum(data: bytes, key: str) -> bytes:
    """Hash an entry's data together with its key."""
    return hashlib.blake2b(key.encode() + data, digest_size=_DIGEST_SIZE).digest()


def _decode_entry(data: bytes, key: str) -> ProjectReading | None:
    begin = len(FORMAT_HEADER) + _DIGEST_SIZE
    packed = data[begin:]
    if data[:begin] != FORMAT_HEADER + compute_checksum(packed, key):
        return None
    try:
        return msgspec.msgpack.decode(packed, type=ProjectReading)
    except (msgspec.DecodeError, RecursionError):
        return None


def _list_entries(folder: "VerifiedFolder") -> Iterator[tuple[float, int, str]]:
    for name in filter(_ENTRY_NAME.fullmatch, folder.list_names()):
        with contextlib.suppress(OSError):
            status = folder.stat(name)
            yield status.st_mtime, status.st_size, name
