"""
A folder that nobody else can write, held open: the one way to what is kept on this machine.

Every file in it is opened relative to its descriptor and without following a link, and
only if it is a regular file of its user or of root that nobody else can write. So a
folder that is replaced, or a link, pipe or device that is planted, reaches nothing.
"""

import contextlib
import os
import re
import stat
import time
from collections.abc import Generator
from types import TracebackType
from typing import Any

from pipedoctor.runtime.trusted_path import IS_SUPPORTED, UntrustedError, explain_distrust

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
PUBLIC_FILE, PUBLIC_FOLDER = 0o644, 0o755
DRAFT_MAX_AGE = 3600.0
"""Seconds after which nobody is still writing a draft."""
_DRAFT = re.compile(r"\.pipedoctor-[0-9a-f]{16}")
_SAFE = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


def get_user() -> int:
    """The user whose files are trusted beside root's: the effective one."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def make_draft_name() -> str:
    """A name that no file of a user has: 64 random bits."""
    return f".pipedoctor-{os.urandom(8).hex()}"


def is_draft_name(name: str) -> bool:
    """Is it one that `make_draft_name` gave?"""
    return _DRAFT.fullmatch(name) is not None


class VerifiedFolder:
    """An open folder, closed with its last user; names are plain, methods raise OSError."""

    def __init__(self, descriptor: int, path: str, owner: int | None = None) -> None:
        self.descriptor, self.path = descriptor, path
        self.owner = get_user() if owner is None else owner

    def close(self) -> None:
        """Close it; the folder is not to be used any more."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __del__(self) -> None:
        self.close()  # a journal holds its folder as long as it is used

    def __enter__(self) -> "VerifiedFolder":  # noqa: PYI034  (typing.Self is of 3.11)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def locate(self, name: str) -> str:
        """The path of a name in it, for messages."""
        return os.path.join(self.path, name)  # noqa: PTH118  (strings all along)

    @property
    def is_public(self) -> bool:
        """May everybody read it?"""
        if not IS_SUPPORTED:
            return False
        return bool(os.fstat(self.descriptor).st_mode & stat.S_IROTH)

    def open_folder(
        self, name: str, *, create: bool = False, mode: int = PRIVATE_FOLDER
    ) -> "VerifiedFolder":
        """
        Open a folder in it, never through a link.

        One of this user's own that others may enter, but should not, is closed to them.
        """
        where = self._resolve_name(name)
        created = create and self._make_folder(name, mode)
        if not IS_SUPPORTED:
            return VerifiedFolder(-1, where[0], self.owner)
        if stat.S_ISLNK(self.stat(name).st_mode):
            raise UntrustedError(self.locate(name), "is a link")
        flags = os.O_RDONLY | os.O_DIRECTORY | _SAFE
        with self._complete_errors(name):
            descriptor = os.open(where[0], flags, **where[1])
        inner = VerifiedFolder(descriptor, self.locate(name), self.owner)
        try:
            if created:
                os.fchmod(descriptor, mode)  # whatever the umask
            inner.require_trust(mode)
        except OSError:
            inner.close()
            raise
        return inner

    def _make_folder(self, name: str, mode: int) -> bool:
        """False: it is there already."""
        place, at = self._resolve_name(name)
        try:
            with self._complete_errors(name):
                os.mkdir(place, mode, **at)  # noqa: PTH102  (Path has no dir_fd)
        except FileExistsError:
            return False
        self.sync()
        return True

    def require_trust(self, mode: int = PRIVATE_FOLDER) -> None:
        """Refuse a folder that others can write; take from them what `mode` does not give."""
        status = os.fstat(self.descriptor)
        if why := explain_distrust(status, self.owner):
            raise UntrustedError(self.path, why)
        if status.st_uid == get_user() and stat.S_IMODE(status.st_mode) & 0o077 & ~mode:
            os.fchmod(self.descriptor, mode)

    def list_names(self) -> list[str]:
        """Everything in it, sorted."""
        return sorted(os.listdir(self.descriptor if IS_SUPPORTED else self.path))  # noqa: PTH208

    def stat(self, name: str) -> os.stat_result:
        """What is known of a name, without following a link."""
        place, at = self._resolve_name(name)
        with self._complete_errors(name):
            return os.stat(place, follow_symlinks=False, **at)  # noqa: PTH116

    def refuse_odd_file(self, name: str) -> None:
        """UntrustedError for all but a trusted file, or none."""
        with contextlib.suppress(FileNotFoundError):
            self._refuse_odd(self.stat(name), name)

    def read(self, name: str, max_bytes: int) -> bytes:
        """All that a file holds; UntrustedError for all but a trusted file up to this size."""
        place, at = self._resolve_name(name)
        self._refuse_odd(self.stat(name), name)
        with self._complete_errors(name):
            descriptor = os.open(place, os.O_RDONLY | _SAFE, **at)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            self._refuse_odd(status, name)
            if status.st_size > max_bytes:
                raise UntrustedError(self.locate(name), f"has more than {max_bytes} bytes")
            return file.read(max_bytes)

    def write(self, name: str, data: bytes, mode: int = PRIVATE_FILE) -> None:
        """Put `data` there with exactly this mode, whole or not at all, durably."""
        place, at = self._resolve_name(name)
        draft, _ = self._resolve_name(make_draft_name())
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE
        with self._complete_errors(name):
            descriptor = os.open(draft, flags, PRIVATE_FILE, **at)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if IS_SUPPORTED:
                    os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            os.replace(draft, place, **self._get_rename_folders())  # noqa: PTH105
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(draft, **at)
            raise
        self.sync()

    def remove(self, name: str) -> None:
        """Remove a file, or a link itself."""
        place, at = self._resolve_name(name)
        os.unlink(place, **at)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        place, at = self._resolve_name(name)
        os.rmdir(place, **at)

    def rename(self, old: str, new: str) -> None:
        """Give another name; a file of that name is replaced."""
        before, after = self._resolve_name(old)[0], self._resolve_name(new)[0]
        os.replace(before, after, **self._get_rename_folders())  # noqa: PTH105

    def touch(self, name: str) -> None:
        """Note that a file was used now."""
        place, at = self._resolve_name(name)
        os.utime(place, **at)

    def remove_old_drafts(self, max_age: float = DRAFT_MAX_AGE) -> None:
        """Remove what killed writers have left, and nothing else."""
        for name in filter(is_draft_name, self.list_names()):
            with contextlib.suppress(OSError):
                status = self.stat(name)
                if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime >= max_age:
                    self.remove(name)

    def open_lock(self, name: str, mode: int = PRIVATE_FILE, *, create: bool = True) -> int:
        """Open a file to lock; never through a link, and none that has another name."""
        place, at = self._resolve_name(name)
        flags = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
        self.refuse_odd_file(name)
        with self._complete_errors(name):
            descriptor = os.open(place, flags | _SAFE, mode, **at)
        try:
            status = os.fstat(descriptor)
            self._refuse_odd(status, name)
            if status.st_nlink > 1:
                raise UntrustedError(self.locate(name), "has another name elsewhere")
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def sync(self) -> None:
        """Make the names in it survive a power cut."""
        if IS_SUPPORTED:
            os.fsync(self.descriptor)

    def _refuse_odd(self, status: os.stat_result, name: str) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise UntrustedError(self.locate(name), "is not a regular file")
        if IS_SUPPORTED and (why := explain_distrust(status, self.owner)):
            raise UntrustedError(self.locate(name), why)

    @contextlib.contextmanager
    def _complete_errors(self, name: str) -> Generator[None, None, None]:
        """Put the whole path into an error: the system is asked by the bare name."""
        try:
            yield
        except UntrustedError:
            raise
        except OSError as error:
            path = self.locate(name)
            if error.filename == path:
                raise
            raise OSError(error.errno, error.strerror, path) from None

    def _resolve_name(self, name: str) -> tuple[str, Any]:
        if name in {"", ".", ".."} or "/" in name or "\0" in name:
            raise UntrustedError(repr(name), "is not a plain name")
        return (name, {"dir_fd": self.descriptor}) if IS_SUPPORTED else (self.locate(name), {})

    def _get_rename_folders(self) -> dict[str, int]:
        if not IS_SUPPORTED:
            return {}
        return {"src_dir_fd": self.descriptor, "dst_dir_fd": self.descriptor}
