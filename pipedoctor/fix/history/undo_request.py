"""Take a fix back when the user asks for it: which one, whether, and how it ended."""

from collections.abc import Iterator

from pipedoctor.fix.console.apply_plan import report_failure
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import plan_text, undo
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.files import files
from pipedoctor.fix.files.files import ReplacedFile
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import Authenticity, DamagedEntry, FixState, JournalEntry
from pipedoctor.fix.journal.journal import Journal
from pipedoctor.fix.journal.lock import hold_lock
from pipedoctor.fix.plan.plan import FixRefusedError, NoSuchFixError
from pipedoctor.fix.request.request import FixRequest
from pipedoctor.runtime.state_dir import is_root


def undo_fix(console: Console, request: FixRequest, entry_id: str | None, *, force: bool) -> int:
    """Take one fix back; NoSuchFix when there is none of this id."""
    ended = [] if console.dry_run else console.recover_interrupted(request)
    if ended and (entry_id is None or entry_id in {entry.id for entry in ended}):
        return int(any(entry.state is FixState.FAILED for entry in ended))
    book, entry = _find_entry(console, entry_id)
    if book is None or entry is None:
        console.print_lines("nothing to do: no fix is in force")
        return 0
    if entry.state in {FixState.UNDONE, FixState.ROLLED_BACK}:
        console.print_lines(f"nothing to do: fix {entry.id} is {entry.state.value}")
        return 0
    undo.refuse_untyped(entry)
    if entry.is_doubtful:  # seen first, since only who has seen it may insist
        console.print_lines(*plan_text.render_undo(entry), *_render_restored(book, entry))
    _refuse_undo(book, entry, force=force)
    if not entry.is_doubtful:
        console.print_lines(*plan_text.render_undo(entry))
    if console.dry_run:
        console.print_lines("dry run: nothing was changed")
        return 0
    if entry.root or not book.is_writable:
        console.require_root()
    console.require_consent("Undo this?")
    return _undo_entry(console, book, entry, force=force)


def _undo_entry(console: Console, book: Journal, entry: JournalEntry, *, force: bool) -> int:
    with hold_lock(book.folder) as lock:
        if book.find_entry(entry.id) != entry:
            message = f"fix {entry.id} changed in the meantime; run the command again"
            raise FixRefusedError(message)
        _refuse_undo(book, entry, force=force)
        shop = LockedJournal(journal=book, lock=lock)
        entry = undo.reverse_entry(shop, entry, undo.UNDO, force=force)
    if entry.state is FixState.UNDONE:
        before = plan_text.escape_text(f"{entry.subject} {entry.before}")
        console.print_lines(f"undone and proved: {before}   (fix {entry.id})")
        return 0
    report_failure(console, entry)
    return 1


def _find_entry(
    console: Console, entry_id: str | None
) -> tuple[Journal | None, JournalEntry | None]:
    if entry_id is None:
        newest = journals.find_newest_entry()
        if newest is None:
            _refuse_unreadable(console)
        return newest or (None, None)
    found = journals.locate_entry(entry_id)
    if found is None:
        message = (
            f"there is no fix {plan_text.escape_text(entry_id)}; see `pipedoctor fix --history`"
        )
        raise NoSuchFixError(message)
    book, entry = found
    if isinstance(entry, DamagedEntry):
        raise _refuse_damaged(entry)
    return book, entry


def _refuse_unreadable(console: Console) -> None:
    """
    Refuse to say that there is nothing to undo, where there may be.

    Root has a journal of its own: another user's, which it does not read, is only named.
    """
    search = journals.find_journals()
    if search.refused and not search.journals and not is_root():
        message = f"it is unknown whether a fix is in force: journal not read: {search.refused[0]}"
        raise FixRefusedError(message)
    for why in search.refused:
        console.print_error(f"journal not read: {why}")
    entries = [entry for book in search.journals for entry in book.read_entries()]
    damaged = [entry for entry in entries if isinstance(entry, DamagedEntry)]
    if damaged:
        raise _refuse_damaged(damaged[-1])


def _refuse_damaged(entry: DamagedEntry) -> FixRefusedError:
    return FixRefusedError(f"fix {entry.id} can no longer be read: {entry.reason}")


def _refuse_undo(book: Journal, entry: JournalEntry, *, force: bool) -> None:
    why_not = undo.list_hard_obstacles(entry)
    if why_not:
        message = f"fix {entry.id} cannot be undone: {why_not[0]}"
        raise FixRefusedError(message)
    why_not = [] if force else undo.list_obstacles(entry)
    if why_not:
        message = f"{why_not[0]}; --force undoes fix {entry.id} anyway"
        raise FixRefusedError(message)
    _refuse_unauthentic(book, entry, force=force)


def _refuse_unauthentic(book: Journal, entry: JournalEntry, *, force: bool) -> None:
    """What is not surely ours is taken back by `force` alone, and only from typed data."""
    if not entry.is_doubtful:
        return
    if why_not := book.explain_foreign_owner(entry):
        message = f"fix {entry.id} is not undone: {why_not}"
        raise FixRefusedError(message)
    if not force:
        doubt = _DOUBTS[entry.authenticity]
        message = f"fix {entry.id} {doubt}; --force undoes what the plan above shows"
        raise FixRefusedError(message)


_DOUBTS = {
    Authenticity.UNSEALED: "has no seal: it was written by version 0.1 or by somebody else",
    Authenticity.ALTERED: "was altered, or the key of the journal was",
}


def _render_restored(book: Journal, entry: JournalEntry) -> Iterator[str]:
    """What would change in files, line by line."""
    for record in entry.steps:
        if isinstance(record, ReplacedFile):
            backup = book.read_backup(entry, record.backup)
            yield from plan_text.render_file_changes(files.read_current(record), backup)
