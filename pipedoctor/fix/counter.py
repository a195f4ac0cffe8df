"""Where the user is served: what is said, what is asked, what is refused."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pipedoctor.collect.files import why as reason_of
from pipedoctor.fix import journal, show, undo
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Entry
from pipedoctor.fix.lock import busy, locked
from pipedoctor.fix.order import Order
from pipedoctor.fix.plan import Refused
from pipedoctor.fix.privilege import is_root, same_again


@dataclass(frozen=True)
class Counter:
    """
    How to talk to this user; `echo` prints, `ask` asks, on whatever there is.

    `unheard` collects why lines could not be written: a full disk under stdout must
    neither stop a fix in its middle nor let one begin whose plan nobody saw.
    """

    echo: Callable[..., None]
    ask: Callable[[str], bool]
    yes: bool = False
    dry_run: bool = False
    unheard: list[str] = field(default_factory=list[str])

    def say(self, *lines: str) -> None:
        """Print lines on stdout, in what characters the terminal has."""
        for line in lines:
            self._say(show.encodable(line, sys.stdout.encoding))

    def _say(self, line: str) -> None:
        try:
            self.echo(line)
        except BrokenPipeError:  # a reader that went away
            return
        except OSError as error:
            self.unheard.append(reason_of(error))

    def refuse(self, why: Refused) -> int:
        """Say why not on stderr, and what would do on stdout."""
        self.complain(f"refused: {why}")
        self.say(*(f"  {show.safe(line)}" for line in why.lines))
        return 1

    def complain(self, text: str) -> None:
        """Print one line on stderr."""
        with contextlib.suppress(BrokenPipeError):
            self.echo(show.encodable(show.safe(text), sys.stderr.encoding), err=True)

    def need_root(self) -> None:
        """Refuse, with the line that works."""
        if not is_root():
            message = "this needs root; nothing was changed. The same, as root:"
            raise Refused(message, same_again())

    def consent(self, question: str) -> None:
        """Refuse unless the user says yes; without a terminal nobody is asked."""
        if self.unheard:
            message = "nothing was changed: the plan could not be shown"
            raise Refused(message)
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
        self.report_ended(ended)
        return ended

    def report_ended(self, ended: Iterable[Entry]) -> None:
        """Say what became of fixes that were found in the middle."""
        for entry in ended:
            reason = f": {show.safe(entry.reason)}" if entry.reason else ""
            self.say(f"fix {entry.id} is now {entry.state.value}{reason}")


def _interrupted(entry: Entry) -> str:
    return f"fix {entry.id} was interrupted: {show.safe(entry.subject)}"
