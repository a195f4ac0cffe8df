"""
Facts about code that was read before, by everything that they depend on.

An entry is data with a checksum. One that is damaged, cut off or of another version is
as good as none: it is written anew. Nothing here ever raises.
"""

import contextlib
import hashlib
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from pipedoctor import __version__
from pipedoctor.source.examine import Examined
from pipedoctor.source.files import Source as File

FORM = b"pipedoctor code 2\n"
_DIGEST = 32
MOST_BYTES = 128 << 20
MOST_ENTRIES = 2000
_ENDING = ".facts"
_LARGEST = 64 << 20
_ABANDONED = 3600.0
"""Seconds after which nobody is still writing a draft."""


class Cache(NamedTuple):
    """A folder of entries; none: nothing is remembered."""

    folder: Path | None

    def get(self, key: str) -> Examined | None:
        """What is known under this key, if it is there and whole."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}{_ENDING}"
        try:
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
            with open(os.open(path, flags), "rb") as file:  # noqa: PTH123
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                    return None
                data = file.read(_LARGEST)
            os.utime(path)
        except OSError:
            return None
        return _unpacked(data, key)

    def put(self, key: str, known: Examined) -> None:
        """Remember them; where that is not possible, so be it."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError, UnicodeEncodeError):
            packed = msgspec.msgpack.encode(known)
            said = FORM + checksum(packed, key) + packed
            from pipedoctor import state  # noqa: PLC0415  (only to write)

            state.put(self.folder / f"{key}{_ENDING}", said)

    def trim(self) -> None:
        """Forget what was not asked for the longest, until all fits its bounds."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            for draft in self.folder.glob(f".*{_ENDING}.*"):
                if time.time() - draft.lstat().st_mtime > _ABANDONED:
                    draft.unlink()
            entries = sorted(_entries(self.folder), reverse=True)
            kept = 0
            for number, (_, size, path) in enumerate(entries):
                kept += size
                if kept > MOST_BYTES or number >= MOST_ENTRIES:
                    with contextlib.suppress(OSError):
                        path.unlink()


def open_cache(given: str, *, wanted: bool) -> Cache:
    """The cache that the user names, or the usual one; none where it is not safe."""
    if not wanted:
        return Cache(None)
    from pipedoctor import state  # noqa: PLC0415  (5 ms, and many ask for no cache)

    try:
        folder = Path(given) if given else _usual() / "code"
        folder.mkdir(parents=True, exist_ok=True, mode=state.PRIVATE_FOLDER)
        status = folder.stat()
    except (OSError, RuntimeError, ValueError):
        return Cache(None)
    mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    shared = stat.S_IMODE(status.st_mode) & 0o022 and os.name == "posix"
    return Cache(folder if mine and not shared else None)


def _usual() -> Path:
    import platformdirs  # noqa: PLC0415  (as above)

    return Path(platformdirs.user_cache_dir("pipedoctor", appauthor=False))


def key_of(project: Iterable[File], shown: Callable[[str], str]) -> str:
    """Everything that the facts of a project depend on, in short."""
    whole = hashlib.blake2b(FORM + _engine().encode(), digest_size=_DIGEST)
    tops: dict[str, str] = {}
    for file in project:
        name = shown(file.path)
        there = os.path.exists(name)  # noqa: PTH110  (many files, and it is quicker)
        top = _repository(os.path.dirname(name), tops)  # noqa: PTH120
        said = f"{len(file.text)}\0{name}\0{there}\0{top}\0"
        whole.update(said.encode("utf-8", "surrogateescape"))
        whole.update(hashlib.blake2b(file.text, digest_size=_DIGEST).digest())
    return whole.hexdigest()


def _repository(folder: str, known: dict[str, str]) -> str:
    """Where the repository around a folder begins: lines are known by that."""
    if folder not in known and not os.path.isabs(folder):  # noqa: PTH117
        known[folder] = _repository(os.path.abspath(folder), known)  # noqa: PTH100
    if folder not in known:
        above = os.path.dirname(folder)  # noqa: PTH120
        if os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
            known[folder] = folder
        else:
            known[folder] = _repository(above, known) if above != folder else ""
    return known[folder]


def _engine() -> str:
    """The version, the Python it runs on, and its very files: they may be worked on."""
    files = [f"{name} {size} {changed}" for name, size, changed in sorted(_own())]
    python = f"{sys.implementation.name} {sys.version_info[:3]}"
    return "\n".join([__version__, python, *files])


def _own() -> Iterator[tuple[str, int, int]]:
    home = Path(__file__).parents[1]
    for folder in (home / "source", home / "facts"):
        with os.scandir(folder) as entries:
            for one in entries:
                if one.name.endswith(".py"):
                    status = one.stat()
                    yield one.name, status.st_size, status.st_mtime_ns


def checksum(packed: bytes, key: str) -> bytes:
    """What seals an entry, under its name."""
    return hashlib.blake2b(key.encode() + packed, digest_size=_DIGEST).digest()


def _unpacked(data: bytes, key: str) -> Examined | None:
    begin = len(FORM) + _DIGEST
    packed = data[begin:]
    if data[:begin] != FORM + checksum(packed, key):
        return None
    try:
        return msgspec.msgpack.decode(packed, type=Examined)
    except (msgspec.DecodeError, RecursionError):
        return None


def _entries(folder: Path) -> Iterator[tuple[float, int, Path]]:
    for path in folder.iterdir():
        if path.name.endswith(_ENDING):
            with contextlib.suppress(OSError):
                status = path.lstat()
                yield status.st_mtime, status.st_size, path
