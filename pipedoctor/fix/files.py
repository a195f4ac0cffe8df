"""Replace files whole or not at all, and put back what was there."""

import contextlib
import errno
import hashlib
import os
import stat
from pathlib import Path

import msgspec

from pipedoctor.fix.plan import Failed

NEW_FILE = 0o644
NEW_DIRECTORY = 0o755


class Written(msgspec.Struct, frozen=True, kw_only=True, tag="written"):
    """A file as it was and as we left it; `backup` lies beside the journal entry."""

    path: str
    """The file itself: symbolic links are followed when the plan is prepared."""
    existed: bool
    digest_before: str
    digest_after: str
    backup: str = ""
    mode: int = NEW_FILE
    uid: int = 0
    gid: int = 0
    made: tuple[str, ...] = ()
    """Directories that did not exist before, outermost first."""

    @property
    def temporary(self) -> str:
        """Where the new content lies until it takes the place of the old."""
        folder, name = os.path.split(self.path)
        return f"{folder}/.{name}.pipedoctor"


def digest(content: bytes | None) -> str:
    """Tell contents apart; empty for a file that does not exist."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def content_of(path: str) -> bytes | None:
    """All that a file holds; None when there is none. Raises Failed, OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            message = f"{path} is not a regular file"
            raise Failed(message)
        return file.read()


def prepared(path: str, content: bytes, found: bytes | None, backup: str) -> Written:
    """Note what a file is before it is replaced; Failed when it is not as planned."""
    real = os.path.realpath(path)
    now = content_of(real)
    if now != found:
        message = f"{path} changed after the plan was made"
        raise Failed(message)
    before = digest(now)
    after = digest(content)
    if now is None:
        made = tuple(_missing(Path(real).parent))
        return Written(
            path=real, existed=False, digest_before="", digest_after=after, made=made
        )
    seen = Path(real).stat()
    return Written(
        path=real,
        existed=True,
        digest_before=before,
        digest_after=after,
        backup=backup,
        mode=stat.S_IMODE(seen.st_mode),
        uid=seen.st_uid,
        gid=seen.st_gid,
    )


def _missing(folder: Path) -> list[str]:
    gaps = [p for p in (folder, *folder.parents) if not p.exists()]
    return [str(p) for p in reversed(gaps)]


def write(file: Written, content: bytes) -> None:
    """Put the new content in place, unless the file changed since `prepared`."""
    if digest(content_of(file.path)) != file.digest_before:
        message = f"{file.path} was changed by somebody else just now"
        raise Failed(message)
    for folder in file.made:
        Path(folder).mkdir(mode=NEW_DIRECTORY, exist_ok=True)
        sync_directory(os.path.dirname(folder))  # noqa: PTH120  (strings all along)
    replace(file, content)


def restore(file: Written, backup: bytes | None) -> None:
    """Put back the old content, or no file where there was none."""
    sweep(file)
    if file.existed:
        if backup is None or digest(backup) != file.digest_before:
            message = f"the backup of {file.path} is missing or damaged"
            raise Failed(message)
        replace(file, backup)
        return
    with contextlib.suppress(FileNotFoundError):
        Path(file.path).unlink()
        sync_directory(os.path.dirname(file.path))  # noqa: PTH120
    for folder in reversed(file.made):
        with contextlib.suppress(OSError):  # somebody else put something there: stays
            Path(folder).rmdir()


def sweep(file: Written) -> None:
    """Remove what a killed writer may have left beside the file."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        Path(file.temporary).unlink()


def replace(file: Written, content: bytes) -> None:
    """Rename a finished copy over the file: owner, mode and attributes are kept."""
    sweep(file)
    try:
        _fill(file, content)
        Path(file.temporary).replace(file.path)
    except OSError as error:
        with contextlib.suppress(OSError):
            sweep(file)
        busy = error.errno == errno.EBUSY
        reason = "it is a mount point of its own" if busy else error.strerror
        message = f"{file.path} cannot be replaced: {reason}"
        raise Failed(message) from error
    sync_directory(os.path.dirname(file.path))  # noqa: PTH120


def _fill(file: Written, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(file.temporary, flags, 0o600)
    with os.fdopen(descriptor, "wb") as new:
        new.write(content)
        new.flush()
        if file.existed:
            os.fchown(descriptor, file.uid, file.gid)
            _copy_attributes(file.path, descriptor)
        os.fchmod(descriptor, file.mode)
        os.fsync(descriptor)


def _copy_attributes(source: str, descriptor: int) -> None:
    """Keep access lists and security labels, where the file system has them."""
    with contextlib.suppress(OSError):
        for name in os.listxattr(source):
            os.setxattr(descriptor, name, os.getxattr(source, name))


def sync_directory(path: str | Path) -> None:
    """Make the names in a directory survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
