"""The history of fixes, as text and as JSON."""

import os
from collections.abc import Iterable
from typing import Any

import msgspec

from pipedoctor.fix import journal, show
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.entry import Entry
from pipedoctor.fix.journal import Journal
from pipedoctor.fix.lock import busy
from pipedoctor.legible import indented

SCHEMA = "pipedoctor.history/1"


def history(counter: Counter, form: str) -> int:
    """List all fixes, of the machine and of this user."""
    books = list(journal.journals())
    if form == "json":
        counter.say(_as_json(books))
        return 0
    lines = [
        line
        for book in books
        for line in show.history(book.entries(), busy=busy(book.root))
    ]
    counter.say(*(lines or ["no fix has been applied here yet"]))
    return 0


def _as_json(books: Iterable[Journal]) -> str:
    entries: list[dict[str, Any]] = []
    for book in books:
        at_work = busy(book.root)
        for entry in book.entries():
            plain = msgspec.to_builtins(entry)
            if isinstance(entry, Entry):
                plain["interrupted"] = entry.unfinished and not at_work
            entries.append(plain | {"journal": os.fspath(book.root)})
    whole = {"schema": SCHEMA, "entries": entries}
    return indented(whole).decode().rstrip("\n")
