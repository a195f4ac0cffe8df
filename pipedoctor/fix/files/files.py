"""Replace files whole or not at all, and put back what was there."""

import contextlib
import hashlib
import os
import stat
from pathlib import Path

import msgspec

from pipedoctor.fix.files.held_file import NEW_FILE, HeldFile, HeldFiles
from pipedoctor.fix.plan.plan import StepFailedError
from pipedoctor.runtime.verified_folder import is_draft_name, make_draft_name


class ReplacedFile(msgspec.Struct, frozen=True, kw_only=True, tag="written"):
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
    draft: str = ""
    """Name, in the same folder, of the new content until it takes the place of the old."""


def hash_content(content: bytes | None) -> str:
    """Tell contents apart; empty for a file that does not exist."""
    return "" if content is None else hashlib.sha256(content).hexdigest()


def record_file(
    files: HeldFiles, path: str, content: bytes, old_content: bytes | None, backup: str
) -> ReplacedFile:
    """
    Describe a file before it is replaced, and hold on to it.

    StepFailedError when it is not as planned.
    """
    held = files.hold(path if path in files.files else _follow_own_links(path))
    why = held.explain_change()
    if why or held.content != old_content:
        message = why or f"{path} changed after the plan was made"
        raise StepFailedError(message)
    file = ReplacedFile(
        path=held.path,
        existed=held.status is not None,
        digest_before=hash_content(held.content),
        digest_after=hash_content(content),
        made=held.missing,
        draft=make_draft_name(),
    )
    if held.status is None:
        return file
    return msgspec.structs.replace(
        file,
        backup=backup,
        mode=stat.S_IMODE(held.status.st_mode),
        uid=held.status.st_uid,
        gid=held.status.st_gid,
    )


def _follow_own_links(path: str) -> str:
    """Where a path leads; StepFailedError for a link that another user has laid, as in /tmp."""
    for part in (*reversed(Path(path).parents), Path(path)):
        if part.is_symlink() and (owner := part.lstat().st_uid) not in {0, os.geteuid()}:
            message = f"{part} is a link that belongs to user {owner}"
            raise StepFailedError(message)
    return os.path.realpath(path)


def write_content(files: HeldFiles, file: ReplacedFile, content: bytes) -> None:
    """Put the new content in place, unless the file changed since `record_file`."""
    files.hold(file.path).replace(content, file.draft)
    files.release(file.path)


def restore_content(file: ReplacedFile, backup: bytes | None) -> None:
    """Put back the old content, or no file where there was none."""
    with contextlib.closing(HeldFile.open(file.path)) as held:
        if not file.existed:
            if held.status is not None:
                held.remove()
        elif backup is None or hash_content(backup) != file.digest_before:
            message = f"the backup of {file.path} is missing or damaged"
            raise StepFailedError(message)
        else:
            draft = file.draft or make_draft_name()
            held.replace(backup, draft, file.mode, owner=(file.uid, file.gid))
    for folder in reversed(file.made):
        with contextlib.suppress(OSError):  # somebody else put something there: stays
            Path(folder).rmdir()


def read_current(file: ReplacedFile) -> bytes | None:
    """What the file holds now; None: it is gone. StepFailedError where a link took its place."""
    with contextlib.closing(HeldFile.open(file.path)) as held:
        return held.content


def remove_draft(file: ReplacedFile) -> None:
    """Remove what a killed writer may have left beside the file."""
    if is_draft_name(file.draft):
        with contextlib.closing(HeldFile.open(file.path)) as held:
            held.remove_draft(file.draft)


def count_links(file: ReplacedFile) -> int:
    """How many names the file has now; 0: it is gone."""
    with contextlib.closing(HeldFile.open(file.path)) as held:
        return held.status.st_nlink if held.status else 0
