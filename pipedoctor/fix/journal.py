"""The journal on disk: one directory a fix, readable by all, durable before effects."""

import contextlib
import datetime as dt
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import platformdirs

from pipedoctor.fix.entry import Damaged, Entry
from pipedoctor.fix.files import NEW_DIRECTORY, NEW_FILE, sync_directory
from pipedoctor.fix.plan import Failed

MACHINE_WIDE = Path("/var/lib")
PRIVATE = 0o600


@dataclass(frozen=True)
class Journal:
    """The entries below one directory."""

    root: Path

    def entries(self) -> list[Entry | Damaged]:
        """Every fix ever noted here, oldest first; what is damaged says so."""
        try:
            names = sorted(p.name for p in self.root.iterdir() if p.is_dir())
        except OSError:
            return []
        found = [entry for name in names if (entry := self._read(name))]
        return sorted(found, key=_order)

    def _read(self, name: str) -> Entry | Damaged | None:
        try:
            text = (self.root / name / "entry.json").read_bytes()
        except FileNotFoundError:
            return None  # it was killed before it had noted, so before it did, anything
        except OSError as error:
            return Damaged(id=name, reason=error.strerror or str(error))
        try:
            entry = msgspec.json.decode(text, type=Entry)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return Damaged(id=name, reason=str(error))
        if entry.id != name:
            return Damaged(id=name, reason=f"it says that it is {entry.id!r}")
        return entry

    def find(self, name: str) -> Entry | Damaged | None:
        """The entry of this id, as it is on disk now."""
        return next((e for e in self.entries() if e.id == name), None)

    def mistrusted(self, entry: Entry) -> str:
        """Why this process must not run what the entry says; empty: it may."""
        seen = (self.root / entry.id / "entry.json").lstat()
        if seen.st_uid not in {0, os.geteuid()}:
            return f"it belongs to user {seen.st_uid}, who may have changed it"
        if seen.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "others than its owner may have changed it"
        return ""

    def prepare(self) -> None:
        """Make the directory and those above it; raises OSError."""
        gaps = [p for p in (self.root, *self.root.parents) if not p.exists()]
        for folder in reversed(gaps):
            folder.mkdir(exist_ok=True)
            folder.chmod(NEW_DIRECTORY)
            sync_directory(folder.parent)

    def open(self, now: dt.datetime) -> str:
        """Make the directory of a new entry, with the next number of the day."""
        number = 1 + sum(1 for _ in self.root.glob(f"{now:%Y-%m-%d}-*"))
        while True:
            name = f"{now:%Y-%m-%d}-{number}"
            with contextlib.suppress(FileExistsError):
                (self.root / name).mkdir()
                (self.root / name).chmod(NEW_DIRECTORY)
                return name
            number += 1

    def keep(self, name: str, backups: Mapping[str, bytes]) -> None:
        """Keep copies of files for the entry `name`, for their owner's eyes only."""
        for backup, content in backups.items():
            _write(self.root / name / backup, content, PRIVATE)

    def backup(self, entry: Entry, name: str) -> bytes | None:
        """A copy kept by `keep`; None when there is none."""
        if not name or "/" in name:
            return None
        try:
            return (self.root / entry.id / name).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, entry: Entry, **changes: object) -> Entry:
        """Write the entry with these changes; it is on disk when this returns."""
        changes["changed"] = stamp(dt.datetime.now(tz=dt.timezone.utc))
        entry = msgspec.structs.replace(entry, **changes)
        folder = self.root / entry.id
        new = folder / "entry.json.new"
        text = msgspec.json.format(msgspec.json.encode(entry)) + b"\n"
        _write(new, text, NEW_FILE)
        new.replace(folder / "entry.json")
        sync_directory(folder)
        sync_directory(self.root)
        return entry

    def sweep(self) -> None:
        """Remove directories in which nothing was noted before their fix died."""
        for folder in self.root.iterdir():
            if folder.is_dir() and not (folder / "entry.json").exists():
                shutil.rmtree(folder)

    def unfinished(self) -> list[Entry]:
        """Fixes that were left in the middle, newest first."""
        found = (e for e in self.entries() if isinstance(e, Entry) and e.unfinished)
        return list(found)[::-1]


def _order(entry: Entry | Damaged) -> tuple[str, str, int]:
    if isinstance(entry, Entry):
        return entry.order
    day, _, number = entry.id.rpartition("-")
    return day, day, int(number) if number.isdecimal() else 0


def _write(path: Path, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def stamp(now: dt.datetime) -> str:
    """A time as the journal writes it."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def journals() -> Iterator[Journal]:
    """The machine's journal, then that of this user's own things."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if Path(state).is_absolute():
        yield Journal(Path(state, "pipedoctor", "journal"))
        return
    yield Journal(MACHINE_WIDE / "pipedoctor" / "journal")
    with contextlib.suppress(RuntimeError, OSError):  # no home directory at all
        own = Journal(Path(platformdirs.user_state_dir("pipedoctor"), "journal"))
        if own.root.is_absolute():
            yield own


def writable() -> Journal:
    """The first journal that this user can write; raises Failed when none."""
    tried: list[str] = []
    for journal in journals():
        try:
            journal.prepare()
        except OSError as error:
            tried.append(f"{journal.root}: {error.strerror}")
            continue
        if os.access(journal.root, os.W_OK):
            return journal
        tried.append(f"{journal.root}: not writable")
    message = f"no journal can be kept, so nothing is changed ({'; '.join(tried)})"
    raise Failed(message)


def locate(name: str) -> tuple[Journal, Entry | Damaged] | None:
    """The entry of this id, whichever journal holds it."""
    for journal in journals():
        for entry in journal.entries():
            if entry.id == name:
                return journal, entry
    return None


def newest() -> tuple[Journal, Entry] | None:
    """The newest entry that stands, or was left in the middle."""
    found = [
        (journal, entry)
        for journal in journals()
        for entry in journal.entries()
        if isinstance(entry, Entry) and (entry.stands or entry.unfinished)
    ]
    return max(found, key=lambda pair: pair[1].order, default=None)
