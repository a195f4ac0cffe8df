"""Take a fix back when the user asks for it: which one, whether, and how it ended."""

import os

from pipedoctor.fix import journal, show, undo
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Damaged, Entry, State
from pipedoctor.fix.journal import Journal
from pipedoctor.fix.lock import locked
from pipedoctor.fix.order import Order
from pipedoctor.fix.plan import NoSuchFix, Refused
from pipedoctor.fix.privilege import is_root


def withdraw(counter: Counter, order: Order, wanted: str | None, *, force: bool) -> int:
    """Take one fix back; NoSuchFix when there is none of this id."""
    ended = [] if counter.dry_run else counter.recover(order)
    if ended and (wanted is None or wanted in {entry.id for entry in ended}):
        return int(any(entry.state is State.FAILED for entry in ended))
    book, entry = _chosen(wanted)
    if book is None or entry is None:
        counter.say("nothing to do: no fix stands that could be taken back")
        return 0
    if entry.state in {State.UNDONE, State.ROLLED_BACK}:
        counter.say(f"nothing to do: fix {entry.id} is {entry.state.value}")
        return 0
    _refuse_undo(book, entry, force=force)
    counter.say(*show.undoing(entry))
    if counter.dry_run:
        counter.say("dry run: nothing was changed")
        return 0
    if entry.root or not os.access(book.root, os.W_OK):
        counter.need_root()
    counter.consent("Take this back?")
    return _take_back(counter, book, entry, force=force)


def _take_back(counter: Counter, book: Journal, entry: Entry, *, force: bool) -> int:
    with locked(book.root) as lock:
        if book.find(entry.id) != entry:
            message = f"fix {entry.id} changed meanwhile; look again"
            raise Refused(message)
        _refuse_undo(book, entry, force=force)
        shop = Workshop(journal=book, lock=lock)
        entry = undo.take_back(shop, entry, undo.UNDO, force=force)
    if entry.state is State.UNDONE:
        before = show.safe(f"{entry.subject} {entry.before}")
        counter.say(f"taken back and proved: {before}   (fix {entry.id})")
        return 0
    counter.complain(f"failed: {entry.reason} (fix {entry.id})")
    return 1


def _chosen(wanted: str | None) -> tuple[Journal | None, Entry | None]:
    if wanted is None:
        return journal.newest() or (None, None)
    found = journal.locate(wanted)
    if found is None:
        message = f"there is no fix {show.safe(wanted)}; see `pipedoctor fix --history`"
        raise NoSuchFix(message)
    book, entry = found
    if isinstance(entry, Damaged):
        message = f"fix {entry.id} cannot be read any more: {entry.reason}"
        raise Refused(message)
    return book, entry


def _refuse_undo(book: Journal, entry: Entry, *, force: bool) -> None:
    why_not = undo.hard_obstacles(entry)
    if why_not:
        message = f"fix {entry.id} cannot be taken back: {why_not[0]}"
        raise Refused(message)
    why_not = [] if force else undo.obstacles(entry)
    if why_not:
        message = f"{why_not[0]}; --force takes fix {entry.id} back all the same"
        raise Refused(message)
    if is_root() and (reason := book.mistrusted(entry)):
        message = f"root does not run what fix {entry.id} says: {reason}"
        raise Refused(message)
