"""Where the user is served: what is said, what is asked, what is refused."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from pipedoctor.fix.engine import plan_text, undo
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import JournalEntry
from pipedoctor.fix.journal.journal import Journal
from pipedoctor.fix.journal.lock import hold_lock, is_locked
from pipedoctor.fix.limits.privilege import repeat_as_root
from pipedoctor.fix.plan.plan import FixRefusedError
from pipedoctor.fix.request.request import FixRequest
from pipedoctor.runtime.files import describe_error
from pipedoctor.runtime.state_dir import is_root


@dataclass(frozen=True)
class Console:
    """
    How `fix` talks to this user; `echo` prints, `ask` asks.

    `write_errors` collects why lines could not be written: a full disk under stdout must
    neither stop a fix in its middle nor let one begin whose plan nobody saw.
    """

    echo: Callable[..., None]
    ask: Callable[[str], bool]
    yes: bool = False
    dry_run: bool = False
    write_errors: list[str] = field(default_factory=list[str])

    def print_lines(self, *lines: str) -> None:
        """Print lines on stdout, in what characters the terminal has."""
        for line in lines:
            self._print_line(plan_text.make_encodable(line, sys.stdout.encoding))

    def _print_line(self, line: str) -> None:
        try:
            self.echo(line)
        except BrokenPipeError:  # a reader that went away
            return
        except OSError as error:
            self.write_errors.append(describe_error(error))

    def report_refusal(self, why: FixRefusedError) -> int:
        """Say why not on stderr, and what would do on stdout."""
        self.print_error(f"refused: {why}")
        self.print_lines(*(f"  {plan_text.escape_text(line)}" for line in why.lines))
        return 1

    def print_error(self, text: str) -> None:
        """Print one line on stderr."""
        with contextlib.suppress(BrokenPipeError):
            self.echo(
                plan_text.make_encodable(plan_text.escape_text(text), sys.stderr.encoding),
                err=True,
            )

    def require_root(self) -> None:
        """Refuse, with the line that works."""
        if not is_root():
            message = "this requires root; nothing was changed. As root, run:"
            raise FixRefusedError(message, repeat_as_root())

    def require_consent(self, question: str) -> None:
        """Refuse unless the user says yes; without a terminal nobody is asked."""
        if self.write_errors:
            message = "nothing was changed: the plan could not be shown"
            raise FixRefusedError(message)
        if self.yes:
            return
        if not sys.stdin.isatty():
            message = "nothing was changed: no terminal to ask on; use --yes"
            raise FixRefusedError(message)
        if not self.ask(question):
            message = "aborted; nothing was changed"
            raise FixRefusedError(message)

    def recover_interrupted(self, request: FixRequest) -> list[JournalEntry]:
        """Bring what was killed in the middle to an end before anything else."""
        ended: list[JournalEntry] = []
        for book in journals.list_journals():
            foreign = plan_text.render_foreign(str(book.root), book.list_foreign())
            for line in foreign if book.is_writable else ():
                self.print_error(line)
            left = list(self._list_recoverable(book))
            if not left or is_locked(book.folder):
                continue
            self.print_lines(*(_describe_interrupted(entry) for entry in left))
            if not book.is_writable:
                self.print_lines("  the next `pipedoctor fix` as root completes it")
                continue
            self.require_consent("Complete that first?")
            with hold_lock(book.folder) as lock:
                shop = LockedJournal(journal=book, lock=lock)
                ended += undo.recover_unfinished(shop, request.prepare_recovery)
        self.report_recovered(ended)
        return ended

    def _list_recoverable(self, book: Journal) -> Iterator[JournalEntry]:
        """Those that were left in the middle; a doubtful one is named, and stays."""
        for entry in book.list_unfinished():
            if entry.is_doubtful:
                how = f"`pipedoctor fix --undo {entry.id} --force` shows and undoes it"
                self.print_error(f"{_describe_interrupted(entry)}; its seal is not ours: {how}")
            else:
                yield entry

    def report_recovered(self, entries: Iterable[JournalEntry]) -> None:
        """Say what became of fixes that were found in the middle."""
        for entry in entries:
            reason = f": {plan_text.escape_text(entry.reason)}" if entry.reason else ""
            self.print_lines(f"fix {entry.id} is now {entry.state.value}{reason}")


def _describe_interrupted(entry: JournalEntry) -> str:
    return f"fix {entry.id} was interrupted: {plan_text.escape_text(entry.subject)}"
