"""Plans and the journal as plain text, safe for any terminal."""

import difflib
import shlex
from collections.abc import Iterable, Iterator

from pipedoctor.fix.entry import Damaged, Entry, Record
from pipedoctor.fix.files import Written
from pipedoctor.fix.plan import Plan, Remove, Run, Step, Write
from pipedoctor.legible import legible

_LISTED = 10


def safe(text: str) -> str:
    """
    Text without characters that a terminal would obey.

    Stricter than a report: who agrees to a plan also sees blanks that are no space.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in legible(text)
    )


def encodable(text: str, encoding: str | None) -> str:
    """Text that a terminal of this encoding can show."""
    encoding = encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.replace("→", "->")
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def plans(chosen: Iterable[Plan]) -> Iterator[str]:
    """Everything that will happen, before it does."""
    for plan in chosen:
        root = "   needs root" if plan.root else ""
        change = safe(f"{plan.before} → {plan.after}")
        yield f"{safe(plan.subject)}   {change}   {plan.lasts}{root}"
        for step in plan.steps:
            yield from (f"  {line}" for line in _step(step))
        if plan.irreversible:
            yield f"  undo: none, {plan.irreversible}"
        yield from (f"  note: {remark}" for remark in plan.remarks)


def _step(step: Step) -> Iterator[str]:
    if isinstance(step, Run):
        yield f"$ {command(step.argv)}"
        if step.undo:
            yield f"undo: {command(step.undo)}"
    elif isinstance(step, Write):
        verb = "create" if step.found is None else "change"
        yield f"{verb} {safe(step.path)}"
        yield from (f"  {line}" for line in _changes(step))
        back = "removes the file" if step.found is None else "restores it byte for byte"
        yield f"undo: {back}"
    else:
        yield from _removal(step)


def _changes(step: Write) -> Iterator[str]:
    """Only the lines that change: the others are nobody's business."""
    before = (step.found or b"").decode("utf-8", "replace").splitlines()
    after = step.content.decode("utf-8", "replace").splitlines()
    for line in difflib.unified_diff(before, after, n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield f"{line[0]} {safe(line[1:])}"


def _removal(step: Remove) -> Iterator[str]:
    for path in step.paths[:_LISTED]:
        yield f"$ rm -f -- {command((path,))}"
    if len(step.paths) > _LISTED:
        yield f"... and {len(step.paths) - _LISTED} more of their kind"


def command(argv: Iterable[str]) -> str:
    """A command that can be pasted, or at least read without harm."""
    return safe(shlex.join(argv))


def undoing(entry: Entry) -> Iterator[str]:
    """What taking back an entry will do."""
    change = safe(f"{entry.after} → {entry.before}")
    yield f"{entry.id}   {safe(entry.subject)}   {change}"
    for record in reversed(entry.steps):
        yield f"  {_back(record)}"


def _back(record: Record) -> str:
    if isinstance(record, Run):
        return f"$ {command(record.undo)}" if record.undo else "nothing to run"
    if isinstance(record, Written):
        return f"{'restore' if record.existed else 'remove'} {safe(record.path)}"
    return "what was removed stays removed"


def history(entries: Iterable[Entry | Damaged], *, busy: bool) -> Iterator[str]:
    """The journal, newest last."""
    for entry in entries:
        if isinstance(entry, Damaged):
            yield f"{safe(entry.id)}   unreadable: {safe(entry.reason)}"
            continue
        change = safe(f"{entry.before} → {entry.after}")
        state = standing(entry, busy=busy)
        yield f"{entry.id}   {state}   {safe(entry.subject)}   {change}"
        yield f"  {entry.when}   by {safe(entry.who)}   {entry.lasts}"
        if entry.reason:
            yield f"  {safe(entry.reason)}"


def standing(entry: Entry, *, busy: bool) -> str:
    """How far an entry came, told truthfully when nobody is at it any more."""
    if entry.unfinished:
        return "under way" if busy else "interrupted: the next fix takes it back"
    return entry.state.value
