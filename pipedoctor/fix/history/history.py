"""The history of fixes, as text and as JSON."""

import os
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import plan_text
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import JournalEntry
from pipedoctor.fix.journal.journal import Journal
from pipedoctor.fix.journal.lock import is_locked
from pipedoctor.runtime.state_dir import is_root
from pipedoctor.textsafe import encode_indented_json

HISTORY_SCHEMA = "pipedoctor.history/1"
HISTORY_KIND = "fixes"
"""Tells it from the list of saved reports, which has the same schema: ``reports``."""


def print_history(console: Console, form: str) -> int:
    """List all fixes, of the machine and of this user; 1 where no journal may be read."""
    search = journals.find_journals()
    for why in search.refused:
        console.print_error(f"journal not read: {why}")
    code = int(bool(search.refused) and not search.journals and not is_root())
    if form == "json":
        console.print_lines(_format_json(search.journals))
        return code
    lines = [line for book in search.journals for line in _render_journal(book)]
    none = "no fix is known" if search.refused else "no fix has been applied here yet"
    console.print_lines(*(lines or [none]))
    return code


def _render_journal(book: Journal) -> Iterator[str]:
    yield from plan_text.render_history(book.read_entries(), busy=is_locked(book.folder))
    yield from plan_text.render_foreign(os.fspath(book.root), book.list_foreign())


def _format_json(books: Iterable[Journal]) -> str:
    entries: list[dict[str, Any]] = []
    foreign: list[dict[str, Any]] = []
    for book in books:
        at_work, place = is_locked(book.folder), {"journal": os.fspath(book.root)}
        for entry in book.read_entries():
            plain = msgspec.to_builtins(entry)
            if isinstance(entry, JournalEntry):
                plain["interrupted"] = entry.is_unfinished and not at_work
            entries.append(plain | place)
        foreign += [msgspec.to_builtins(item) | place for item in book.list_foreign()]
    whole = {"schema": HISTORY_SCHEMA, "kind": HISTORY_KIND, "entries": entries, "foreign": foreign}
    return encode_indented_json(whole).decode().rstrip("\n")
