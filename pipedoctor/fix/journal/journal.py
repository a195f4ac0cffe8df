"""The journal on disk: one folder a fix, durable before effects, sealed by its owner."""

import contextlib
import datetime as dt
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pipedoctor.fix.journal import seal
from pipedoctor.fix.journal.entry import Authenticity, DamagedEntry, ForeignItem, JournalEntry
from pipedoctor.fix.journal.lock import LOCK_NAME
from pipedoctor.fix.plan.plan import StepFailedError
from pipedoctor.runtime.files import describe_error
from pipedoctor.runtime.trusted_path import UntrustedError
from pipedoctor.runtime.verified_folder import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    PUBLIC_FILE,
    PUBLIC_FOLDER,
    VerifiedFolder,
    get_user,
    is_draft_name,
    make_draft_name,
)

FOLDER_NAME = "journal"
ENTRY_FILE = "entry.json"
MAX_ENTRY_BYTES = 16 << 20
MAX_BACKUP_BYTES = 64 << 20
"""Bytes of a file that a fix replaces; the copies of larger ones would fill the disk."""
_ENTRY_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-\d{1,9}")
_BACKUP_NAME = re.compile(r"\d{1,9}\.backup|overwritten-[0-9a-f]{12}")
_OWN_NAMES = frozenset((LOCK_NAME, seal.KEY_NAME))


@dataclass(frozen=True)
class Journal:
    """The entries in one folder, which nobody else can write."""

    folder: VerifiedFolder

    @property
    def root(self) -> Path:
        """Where it lies."""
        return Path(self.folder.path)

    @property
    def is_writable(self) -> bool:
        """May this process write entries?"""
        return os.access(".", os.W_OK, dir_fd=self.folder.descriptor)

    def read_entries(self) -> list[JournalEntry | DamagedEntry]:
        """Every fix ever noted here, oldest first; what is damaged says so."""
        entries = [item for item in self._read_items() if not isinstance(item, ForeignItem)]
        return sorted(entries, key=_sort_key)

    def list_foreign(self) -> list[ForeignItem]:
        """What else lies here, and why it is no entry."""
        return [item for item in self._read_items() if isinstance(item, ForeignItem)]

    def _read_items(self) -> list[JournalEntry | DamagedEntry | ForeignItem]:
        try:
            names = self.folder.list_names()
        except OSError:
            return []
        return [
            self._read_entry(name)
            for name in names
            if name not in _OWN_NAMES and not is_draft_name(name)
        ]

    def _read_entry(self, name: str) -> JournalEntry | DamagedEntry | ForeignItem:
        if not _ENTRY_NAME.fullmatch(name):
            return ForeignItem(name=name, reason="not an entry of the journal")
        try:
            entry_folder = self._open_entry(name)
        except OSError as error:
            return ForeignItem(name=name, reason=_explain(error))
        with entry_folder:
            try:
                text = entry_folder.read(ENTRY_FILE, MAX_ENTRY_BYTES)
            except FileNotFoundError:
                return ForeignItem(name=name, reason=f"it has no {ENTRY_FILE}")
            except OSError as error:
                return DamagedEntry(id=name, reason=_explain(error))
        return self._decode_entry(name, text)

    def _decode_entry(self, name: str, text: bytes) -> JournalEntry | DamagedEntry:
        try:
            entry = msgspec.json.decode(text, type=JournalEntry)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return DamagedEntry(id=name, reason=str(error))
        if entry.id != name:
            return DamagedEntry(id=name, reason=f"it says that it is {entry.id!r}")
        return msgspec.structs.replace(entry, authenticity=self._authenticate(text))

    def _authenticate(self, text: bytes) -> Authenticity:
        if not seal.is_sealed(text):
            return Authenticity.UNSEALED
        try:
            key = seal.read_key(self.folder)
        except PermissionError:
            return Authenticity.UNKNOWN
        except OSError:
            return Authenticity.ALTERED
        genuine = seal.has_genuine_seal(text, key)
        return Authenticity.GENUINE if genuine else Authenticity.ALTERED

    def find_entry(self, name: str) -> JournalEntry | DamagedEntry | None:
        """The entry of this id, as it is on disk now."""
        return next((e for e in self.read_entries() if e.id == name), None)

    def explain_foreign_owner(self, entry: JournalEntry) -> str:
        """Why folder or file of an entry are not this very user's; empty: they are."""
        with self._open_entry(entry.id) as folder:
            owners = {self.folder.stat(entry.id).st_uid, folder.stat(ENTRY_FILE).st_uid}
        others = owners - {get_user()}
        return f"it belongs to user {min(others)}" if others else ""

    def add_entry(
        self, now: dt.datetime, backups: Mapping[str, bytes], build: Callable[[str], JournalEntry]
    ) -> JournalEntry:
        """
        Write a new entry with the next number of the day, with copies of files beside it.

        It is there whole or not at all: what is cut short is a draft. Raises OSError.
        """
        taken = set(self.folder.list_names())
        day = f"{now:%Y-%m-%d}-"
        numbers = [int(n) for e in taken if e.startswith(day) and (n := e[len(day) :]).isdecimal()]
        name = f"{day}{max(numbers, default=0) + 1}"
        draft = make_draft_name()
        try:
            with self._open_entry(draft, create=True) as folder:
                for backup, content in backups.items():
                    folder.write(backup, content, PRIVATE_FILE)
                entry = self._write_entry(folder, build(name))
            self.folder.rename(draft, name)
        except OSError:
            with contextlib.suppress(OSError):
                self._remove_draft(draft)
            raise
        self.folder.sync()
        return entry

    def save_backups(self, name: str, backups: Mapping[str, bytes]) -> None:
        """Keep copies of files for the entry `name`, for their owner's eyes only."""
        with self._open_entry(name) as folder:
            for backup, content in backups.items():
                folder.write(backup, content, PRIVATE_FILE)

    def read_backup(self, entry: JournalEntry, name: str) -> bytes | None:
        """A copy kept by `save_backups`; None when there is none."""
        if not _BACKUP_NAME.fullmatch(name):
            return None
        with self._open_entry(entry.id) as folder:
            try:
                return folder.read(name, MAX_BACKUP_BYTES)
            except FileNotFoundError:
                return None

    def save(self, entry: JournalEntry, **changes: object) -> JournalEntry:
        """Write the entry with these changes; it is on disk when this returns."""
        entry = msgspec.structs.replace(entry, **changes)
        with self._open_entry(entry.id) as folder:
            folder.remove_old_drafts(0)  # those of writers that were killed: we hold the lock
            return self._write_entry(folder, entry)

    def _write_entry(self, folder: VerifiedFolder, entry: JournalEntry) -> JournalEntry:
        changed = format_time(dt.datetime.now(tz=dt.timezone.utc))
        entry = msgspec.structs.replace(entry, changed=changed)
        plain: dict[str, Any] = msgspec.to_builtins(entry)
        del plain["authenticity"]
        whole = {"schema": plain.pop("schema"), "seal": seal.BLANK_SEAL, **plain}
        text = msgspec.json.format(msgspec.json.encode(whole)) + b"\n"
        if len(text) > MAX_ENTRY_BYTES:
            message = f"an entry of {len(text)} bytes is too large for the journal"
            raise StepFailedError(message)
        folder.write(ENTRY_FILE, seal.seal_text(text, seal.create_key(self.folder)), self._mode)
        return msgspec.structs.replace(entry, authenticity=Authenticity.GENUINE)

    def _open_entry(self, name: str, *, create: bool = False) -> VerifiedFolder:
        mode = PUBLIC_FOLDER if self.folder.is_public else PRIVATE_FOLDER
        return self.folder.open_folder(name, create=create, mode=mode)

    @property
    def _mode(self) -> int:
        return PUBLIC_FILE if self.folder.is_public else PRIVATE_FILE

    def remove_drafts(self) -> None:
        """Remove entries that were cut short while they were written; we hold the lock."""
        for name in filter(is_draft_name, self.folder.list_names()):
            with contextlib.suppress(OSError):
                self._remove_draft(name)

    def _remove_draft(self, name: str) -> None:
        """Only files that a draft of ours has; with anything else in it, it stays."""
        if stat.S_ISREG(self.folder.stat(name).st_mode):
            self.folder.remove(name)
            return
        with self._open_entry(name) as folder:
            for file in folder.list_names():
                if file == ENTRY_FILE or _BACKUP_NAME.fullmatch(file) or is_draft_name(file):
                    folder.remove(file)
        self.folder.remove_folder(name)

    def list_unfinished(self) -> list[JournalEntry]:
        """Fixes that were left in the middle, newest first."""
        entries = self.read_entries()
        return [e for e in entries if isinstance(e, JournalEntry) and e.is_unfinished][::-1]


def open_journal(home: VerifiedFolder, *, create: bool = False, public: bool = False) -> Journal:
    """Open the journal in a state folder; raises OSError."""
    mode = PUBLIC_FOLDER if public else PRIVATE_FOLDER
    return Journal(home.open_folder(FOLDER_NAME, create=create, mode=mode))


def _explain(error: OSError) -> str:
    """What is wrong with an item whose name stands beside it."""
    return f"it {error.why}" if isinstance(error, UntrustedError) else describe_error(error)


def _sort_key(entry: JournalEntry | DamagedEntry) -> tuple[str, str, int]:
    if isinstance(entry, JournalEntry):
        return entry.sort_key
    day, _, number = entry.id.rpartition("-")
    return day, day, int(number) if number.isdecimal() else 0


def format_time(now: dt.datetime) -> str:
    """A time as the journal writes it."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")
