"""
Which journals there are: this user's own, and the machine's, which root writes.

The own one lies in the state folder where that can be trusted. For root the machine's
takes its place where it cannot: under ``sudo`` with the HOME of a user.
"""

from collections.abc import Callable
from typing import NamedTuple

from pipedoctor.fix.journal.entry import DamagedEntry, JournalEntry
from pipedoctor.fix.journal.journal import Journal, open_journal
from pipedoctor.fix.plan.plan import StepFailedError
from pipedoctor.runtime import state_dir
from pipedoctor.runtime.files import describe_error
from pipedoctor.runtime.trusted_path import MissingHomeError, UntrustedError


class JournalSearch(NamedTuple):
    """The journals that can be read, and why another one is not."""

    journals: tuple[Journal, ...]
    refused: tuple[str, ...] = ()


def find_journals() -> JournalSearch:
    """The user's own journal, then the machine's where no other place was asked for."""
    found: list[Journal] = []
    refused: list[str] = []
    own_is_trusted = True
    try:
        found.append(_open_own())
    except (FileNotFoundError, MissingHomeError):
        pass
    except OSError as error:
        own_is_trusted = not isinstance(error, UntrustedError)
        refused.append(_explain(error))
    if not state_dir.has_own_setting() or (state_dir.is_root() and not own_is_trusted):
        try:
            found.append(_open_machine())
        except (FileNotFoundError, PermissionError):
            pass
        except OSError as error:
            refused.append(_explain(error))
    return JournalSearch(tuple(found), tuple(refused))


def list_journals() -> tuple[Journal, ...]:
    """The journals that can be read."""
    return find_journals().journals


def _open_own(*, create: bool = False) -> Journal:
    with state_dir.open_own_folder(create=create) as home:
        return open_journal(home, create=create)


def _open_machine(*, create: bool = False) -> Journal:
    with state_dir.open_machine_folder(create=create) as home:
        return open_journal(home, create=create, public=True)


def find_writable() -> Journal:
    """The journal that this user's fixes are noted in; raises StepFailedError when none."""
    tried: list[str] = []
    for opener in _list_openers():
        try:
            journal = opener(create=True)
        except UntrustedError as error:
            tried.append(_explain(error))
            continue
        except OSError as error:
            tried.append(_explain(error))
            break
        if journal.is_writable:
            return journal
        tried.append(f"{journal.root}: not writable")
        break
    message = f"no journal can be kept, so nothing is changed ({'; '.join(tried)})"
    raise StepFailedError(message)


def _list_openers() -> list[Callable[..., Journal]]:
    return [_open_own, _open_machine] if state_dir.is_root() else [_open_own]


def _explain(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{describe_error(error)}"


def locate_entry(name: str) -> tuple[Journal, JournalEntry | DamagedEntry] | None:
    """The entry of this id, whichever journal holds it."""
    for journal in list_journals():
        if entry := journal.find_entry(name):
            return journal, entry
    return None


def find_newest_entry() -> tuple[Journal, JournalEntry] | None:
    """The newest entry that stands, or was left in the middle; one of ours before others."""
    found = [
        (journal, entry)
        for journal in list_journals()
        for entry in journal.read_entries()
        if isinstance(entry, JournalEntry) and (entry.is_in_force or entry.is_unfinished)
    ]
    return max(found, key=lambda p: (not p[1].is_doubtful, p[1].sort_key), default=None)
