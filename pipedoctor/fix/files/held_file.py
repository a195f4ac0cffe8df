"""
Hold on to the very file that was read and shown, until it is replaced.

Its folder and the file itself stay open. Whatever else takes their names meanwhile, a
link for the file or for a folder above it included, is noticed before anything is
written: the same file means the same inode, owner, mode, number of links and content.
"""

import contextlib
import errno
import os
import stat
from dataclasses import dataclass, field

from pipedoctor.fix.files.file_content import read_regular
from pipedoctor.fix.plan.plan import StepFailedError
from pipedoctor.runtime.trusted_path import open_unlinked

MAX_OPEN_FILES = 200
"""Files that stay open; of those beyond, inode, times and size stand for the descriptor."""
NEW_FILE = 0o644
NEW_DIRECTORY = 0o755
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass
class HeldFile:
    """
    A file, or the place of one that is not there yet.

    `missing` are the folders above it that do not exist either, outermost first.
    """

    path: str
    """Absolute, and without links."""
    folder: int
    descriptor: int = -1
    status: os.stat_result | None = None
    content: bytes | None = None
    missing: tuple[str, ...] = ()
    folder_identity: tuple[int, int] = (0, 0)

    @classmethod
    def open(cls, path: str) -> "HeldFile":
        """Open what lies at an absolute path without links; StepFailedError for all else."""
        folder, missing = _open_nearest_folder(os.path.dirname(path))  # noqa: PTH120
        held = cls(path, folder, missing=missing, folder_identity=_identify(os.fstat(folder)))
        try:
            if not missing:
                held._open_file()
        except (OSError, StepFailedError):
            held.close()
            raise
        return held

    def _open_file(self) -> None:
        try:
            self.descriptor = os.open(self.name, _READ, dir_fd=self.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.EMLINK}:
                message = f"{self.path} is a link"
                raise StepFailedError(message) from None
            raise OSError(error.errno, error.strerror, self.path) from None
        self.content = read_regular(self.descriptor, self.path)
        self.status = os.fstat(self.descriptor)

    @property
    def name(self) -> str:
        """Its name in its folder."""
        return os.path.basename(self.path)  # noqa: PTH119

    def close(self) -> None:
        """Let go of it."""
        for descriptor in (self.folder, self.descriptor):
            if descriptor >= 0:
                os.close(descriptor)
        self.folder = self.descriptor = -1

    def explain_change(self) -> str:
        """Why it is not the file that was read any more; empty: it is."""
        if why := self._explain_moved_folder():
            return why
        try:
            now = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return "" if self.status is None else f"{self.path} is gone"
        if self.status is None:
            return f"{self.path} was created meanwhile"
        if stat.S_ISLNK(now.st_mode):
            return f"{self.path} was replaced by a link"
        if _identify(now) != _identify(self.status):
            return f"{self.path} was replaced by another file"
        return self._explain_status(self.status, now)

    def _explain_moved_folder(self) -> str:
        parent = os.path.dirname(self.missing[0] if self.missing else self.path)  # noqa: PTH120
        try:
            there = open_unlinked(parent)
        except OSError as error:
            return f"{parent} was replaced: {error.strerror}"
        same = _identify(os.fstat(there)) == self.folder_identity
        if same and self.folder < 0:
            self.folder = there
        else:
            os.close(there)
        return "" if same else f"{parent} was replaced by another folder"

    def _explain_status(self, recorded_status: os.stat_result, now: os.stat_result) -> str:
        if stat.S_IMODE(recorded_status.st_mode) != stat.S_IMODE(now.st_mode):
            return f"the mode of {self.path} was changed"
        if (recorded_status.st_uid, recorded_status.st_gid) != (now.st_uid, now.st_gid):
            return f"the owner of {self.path} was changed"
        if recorded_status.st_nlink != now.st_nlink:
            return f"the number of hard links to {self.path} was changed"
        if self.descriptor < 0:
            same = (recorded_status.st_ctime_ns, recorded_status.st_size) == (
                now.st_ctime_ns,
                now.st_size,
            )
            if same:
                self.descriptor = os.open(self.name, _READ, dir_fd=self.folder)
        else:
            same = now.st_size == recorded_status.st_size
        same = same and read_regular(self.descriptor, self.path) == self.content
        return "" if same else f"{self.path} was changed by another process"

    def make_folders(self) -> None:
        """Create the folders above it that are missing, and hold the innermost."""
        for path in self.missing:
            name = os.path.basename(path)  # noqa: PTH119
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, NEW_DIRECTORY, dir_fd=self.folder)
                os.fsync(self.folder)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            inner = os.open(name, flags, dir_fd=self.folder)
            os.close(self.folder)
            self.folder, self.folder_identity = inner, _identify(os.fstat(inner))
        self.missing = ()

    def replace(
        self,
        content: bytes,
        draft: str,
        mode: int = NEW_FILE,
        *,
        owner: tuple[int, int] | None = None,
    ) -> None:
        """
        Rename a finished copy over it, with its owner, mode and attributes.

        `draft` is the name of the copy in the same folder; `mode` and `owner` are those of
        a new file. StepFailedError when it is not the file that was read any more, or
        cannot be replaced.
        """
        self._require_unchanged()
        try:
            self.make_folders()
            self.write_draft(content, draft, mode, owner)
            self._put_in_place(draft)
            os.fsync(self.folder)
        except OSError as error:
            self.remove_draft(draft)
            reason = "it is a mount point" if error.errno == errno.EBUSY else error.strerror
            message = f"{self.path} cannot be replaced: {reason}"
            raise StepFailedError(message) from error
        except StepFailedError:
            self.remove_draft(draft)
            raise

    def write_draft(
        self, content: bytes, draft: str, mode: int, owner: tuple[int, int] | None
    ) -> None:
        """Write the finished copy beside the file; raises OSError."""
        descriptor = os.open(draft, _CREATE, 0o600, dir_fd=self.folder)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if self.status is None:
                _set_attributes(descriptor, mode, owner)
            else:
                self._copy_attributes(descriptor, self.status)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _require_unchanged(self) -> None:
        if why := self.explain_change():
            raise StepFailedError(why)

    def _put_in_place(self, draft: str) -> None:
        self._require_unchanged()
        here = self.folder
        if self.status is None:
            try:
                os.link(draft, self.name, src_dir_fd=here, dst_dir_fd=here)  # replaces nothing
            except FileExistsError:
                message = f"{self.path} was created meanwhile"
                raise StepFailedError(message) from None
            except OSError as error:
                if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.ENOSYS}:
                    raise
            else:
                os.unlink(draft, dir_fd=self.folder)
                return
        os.rename(draft, self.name, src_dir_fd=here, dst_dir_fd=here)

    def _copy_attributes(self, descriptor: int, status: os.stat_result) -> None:
        os.fchown(descriptor, status.st_uid, status.st_gid)
        with contextlib.suppress(OSError):  # where the file system has them
            for name in os.listxattr(self.descriptor):
                os.setxattr(descriptor, name, os.getxattr(self.descriptor, name))
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))

    def remove(self) -> None:
        """Remove it, where it is still the file that was read."""
        self._require_unchanged()
        os.unlink(self.name, dir_fd=self.folder)
        os.fsync(self.folder)

    def remove_draft(self, draft: str) -> None:
        """Remove what a writer of ours may have left beside it."""
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=self.folder)


def _open_nearest_folder(path: str) -> tuple[int, tuple[str, ...]]:
    """Open the folder, or the nearest above it that exists, and what is missing."""
    missing: list[str] = []
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)  # noqa: PTH120
    try:
        return open_unlinked(path), tuple(reversed(missing))
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
            raise
        message = f"{path} is not a folder, or a link leads there"
        raise StepFailedError(message) from None


def _set_attributes(descriptor: int, mode: int, owner: tuple[int, int] | None) -> None:
    if owner is not None:
        with contextlib.suppress(PermissionError):  # only root gives files away
            os.fchown(descriptor, *owner)
    os.fchmod(descriptor, mode)


def _identify(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


@dataclass
class HeldFiles:
    """The files of one fix, by path, from the moment they were read."""

    files: dict[str, HeldFile] = field(default_factory=dict[str, HeldFile])

    def hold(self, path: str) -> HeldFile:
        """Hold on to this file, unless it is held already; raises StepFailedError, OSError."""
        if path not in self.files:
            held = HeldFile.open(path)
            if len(self.files) >= MAX_OPEN_FILES:
                held.close()
            self.files[path] = held
        return self.files[path]

    def release(self, path: str) -> None:
        """Let go of one: what lies there now is another file."""
        self.files.pop(path).close()

    def close(self) -> None:
        """Let go of all."""
        for held in self.files.values():
            held.close()
        self.files.clear()
