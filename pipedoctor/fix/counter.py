"""Where the user is served: show the plan, ask, do it, say what came of it."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from pipedoctor.fix import engine, journal, show, undo
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Damaged, Entry, State
from pipedoctor.fix.journal import Journal
from pipedoctor.fix.lock import busy, locked
from pipedoctor.fix.order import Order, Outlook
from pipedoctor.fix.plan import Failed, Plan, Refused
from pipedoctor.fix.privilege import is_root, same_again

HISTORY = "pipedoctor.history/1"
_LISTED = 5


@dataclass(frozen=True)
class Counter:
    """Serves one call; every method returns its exit code, 0 or 1."""

    echo: Callable[..., None]
    ask: Callable[[str], bool]
    yes: bool = False
    dry_run: bool = False

    def say(self, *lines: str) -> None:
        """Print lines on stdout, in what characters the terminal has."""
        for line in lines:
            with contextlib.suppress(BrokenPipeError):  # a fix goes on unheard
                self.echo(show.encodable(line, sys.stdout.encoding))

    def refuse(self, why: Refused) -> int:
        """Say why not on stderr, and what would do on stdout."""
        text = show.safe(str(why))
        self.echo(show.encodable(f"refused: {text}", sys.stderr.encoding), err=True)
        self.say(*(f"  {show.safe(line)}" for line in why.lines))
        return 1

    def fix(self, order: Order) -> int:
        """Plan, ask, apply, prove."""
        if not self.dry_run:
            self.recover(order)
        shown = order.outlook()
        self.say(*(f"nothing to do: {show.safe(done.why)}" for done in shown.settled))
        code = max((self.refuse(why) for why in shown.refused), default=0)
        if not shown.plans:
            return code
        self.say(*show.plans(shown.plans))
        if self.dry_run:
            self.say("dry run: nothing was changed")
            return code
        if any(plan.root for plan in shown.plans):
            self.need_root()
        self.consent("Apply this?")
        return max(code, self._apply(order, shown))

    def need_root(self) -> None:
        """Refuse, with the line that works."""
        if not is_root():
            message = "this needs root; nothing was changed. The same, as root:"
            raise Refused(message, same_again())

    def consent(self, question: str) -> None:
        """Refuse unless the user says yes; without a terminal nobody is asked."""
        if self.yes:
            return
        if not sys.stdin.isatty():
            message = (
                "nothing was changed: there is no terminal to ask on, --yes goes ahead"
            )
            raise Refused(message)
        if not self.ask(question):
            message = "nothing was changed, as you wish"
            raise Refused(message)

    def _apply(self, order: Order, shown: Outlook) -> int:
        book = journal.writable()
        with locked(book.root) as lock:
            shop = Workshop(journal=book, lock=lock)
            self._report_recovered(undo.recover(shop, order.again))
            now = order.outlook()
            if not now.plans and not now.refused:
                self.say(*(f"nothing to do: {show.safe(s.why)}" for s in now.settled))
                return 0
            if not now.same_work(shown):
                message = "the machine changed after the plan was shown; look again"
                raise Refused(message)
            codes = [self._perform(shop, order, plan) for plan in now.plans]
        if not any(codes):
            self._report_rest(order)
        return max(codes)

    def _perform(self, shop: Workshop, order: Order, plan: Plan) -> int:
        """One plan from the journal's first word to its last."""
        try:
            entry = engine.begin(shop, plan)
        except (Failed, OSError) as fault:
            return self.refuse(Refused(f"{plan.subject} was not changed: {fault}"))
        try:
            entry = engine.carry_out(
                shop, entry, plan, order.garbage(plan), order.proof(plan)
            )
        except (Failed, OSError) as fault:
            return self._roll_back(shop, entry, str(fault))
        except KeyboardInterrupt:
            return self._roll_back(shop, entry, "it was interrupted")
        self.say(
            f"done and proved: {show.safe(plan.subject)} {show.safe(plan.after)}"
            f"   (fix {entry.id}; take it back: pipedoctor fix --undo {entry.id})"
        )
        return 0

    def _roll_back(self, shop: Workshop, entry: Entry, why: str) -> int:
        """The entry in hand may be older than the one on disk, which counts."""
        found = shop.journal.find(entry.id)
        entry = found if isinstance(found, Entry) else entry
        entry = undo.take_back(shop, entry, undo.ROLL_BACK, reason=why, ours=True)
        back = entry.state is State.ROLLED_BACK
        ending = "it was rolled back" if back else "and it could not be rolled back"
        text = f"failed: {show.safe(entry.reason)}; {ending} (fix {entry.id})"
        self.echo(show.encodable(text, sys.stderr.encoding), err=True)
        return 1

    def _report_rest(self, order: Order) -> None:
        rest = order.still_wrong()
        if rest:
            self.say("still wrong besides:")
            self.say(*(f"  {show.safe(line)}" for line in rest[:_LISTED]))
        if len(rest) > _LISTED:
            self.say(f"  and {len(rest) - _LISTED} more: pipedoctor check")

    def recover(self, order: Order) -> list[Entry]:
        """Bring what was killed in the middle to an end before anything else."""
        ended: list[Entry] = []
        for book in journal.journals():
            left = book.unfinished()
            if not left or busy(book.root):
                continue
            self.say(*(_interrupted(entry) for entry in left))
            if not os.access(book.root, os.W_OK):
                self.say("  the next fix that root runs brings it to an end")
                continue
            self.consent("Bring that to an end first?")
            with locked(book.root) as lock:
                shop = Workshop(journal=book, lock=lock)
                ended += undo.recover(shop, order.again)
        self._report_recovered(ended)
        return ended

    def _report_recovered(self, ended: Iterable[Entry]) -> None:
        for entry in ended:
            reason = f": {show.safe(entry.reason)}" if entry.reason else ""
            self.say(f"fix {entry.id} is now {entry.state.value}{reason}")

    def undo(self, order: Order, wanted: str | None, *, force: bool) -> int:
        """Take one fix back; LookupError when there is none of this id."""
        ended = [] if self.dry_run else self.recover(order)
        if ended and (wanted is None or wanted in {entry.id for entry in ended}):
            return int(any(entry.state is State.FAILED for entry in ended))
        book, entry = _chosen(wanted)
        if book is None or entry is None:
            self.say("nothing to do: no fix stands that could be taken back")
            return 0
        if entry.state in {State.UNDONE, State.ROLLED_BACK}:
            self.say(f"nothing to do: fix {entry.id} is {entry.state.value}")
            return 0
        _refuse_undo(book, entry, force=force)
        self.say(*show.undoing(entry))
        if self.dry_run:
            self.say("dry run: nothing was changed")
            return 0
        if entry.root or not os.access(book.root, os.W_OK):
            self.need_root()
        self.consent("Take this back?")
        return self._take_back(book, entry, force=force)

    def _take_back(self, book: Journal, entry: Entry, *, force: bool) -> int:
        with locked(book.root) as lock:
            if book.find(entry.id) != entry:
                message = f"fix {entry.id} changed meanwhile; look again"
                raise Refused(message)
            _refuse_undo(book, entry, force=force)
            shop = Workshop(journal=book, lock=lock)
            entry = undo.take_back(shop, entry, undo.UNDO, force=force)
        if entry.state is State.UNDONE:
            before = show.safe(f"{entry.subject} {entry.before}")
            self.say(f"taken back and proved: {before}   (fix {entry.id})")
            return 0
        text = f"failed: {show.safe(entry.reason)} (fix {entry.id})"
        self.echo(show.encodable(text, sys.stderr.encoding), err=True)
        return 1

    def history(self, form: str) -> int:
        """List all fixes, of the machine and of this user."""
        books = list(journal.journals())
        if form == "json":
            self.echo(_as_json(books))
            return 0
        lines = [
            line
            for book in books
            for line in show.history(book.entries(), busy=busy(book.root))
        ]
        self.say(*(lines or ["no fix has been applied here yet"]))
        return 0


def _interrupted(entry: Entry) -> str:
    return f"fix {entry.id} was interrupted: {show.safe(entry.subject)}"


def _chosen(wanted: str | None) -> tuple[Journal | None, Entry | None]:
    if wanted is None:
        return journal.newest() or (None, None)
    found = journal.locate(wanted)
    if found is None:
        message = f"there is no fix {show.safe(wanted)}; see `pipedoctor fix --history`"
        raise LookupError(message)
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


def _as_json(books: Iterable[Journal]) -> str:
    entries: list[dict[str, Any]] = []
    for book in books:
        at_work = busy(book.root)
        for entry in book.entries():
            plain = msgspec.to_builtins(entry)
            if isinstance(entry, Entry):
                plain["interrupted"] = entry.unfinished and not at_work
            entries.append(plain | {"journal": os.fspath(book.root)})
    text = msgspec.json.encode({"schema": HISTORY, "entries": entries})
    return msgspec.json.format(text).decode()
