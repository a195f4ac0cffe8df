"""Plans and the journal as plain text, safe for any terminal."""

import difflib
import shlex
from collections.abc import Iterable, Iterator

from pipedoctor.fix.files.files import ReplacedFile
from pipedoctor.fix.journal.entry import (
    Authenticity,
    DamagedEntry,
    ForeignItem,
    JournalEntry,
    JournalRecord,
)
from pipedoctor.fix.plan.plan import CommandStep, FixPlan, PlanStep, RemoveStep, WriteStep
from pipedoctor.textsafe import escape_surrogates

_MAX_LISTED = 10


def escape_text(text: str) -> str:
    """
    Text without characters that a terminal would obey.

    Stricter than a report: who agrees to a plan also sees blanks that are no space.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in escape_surrogates(text)
    )


def make_encodable(text: str, encoding: str | None) -> str:
    """Text that a terminal of this encoding can show."""
    encoding = encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.replace("→", "->")
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def render_plans(plans: Iterable[FixPlan]) -> Iterator[str]:
    """Everything that will happen, before it does."""
    for plan in plans:
        root = "   needs root" if plan.root else ""
        change = escape_text(f"{plan.before} → {plan.after}")
        yield f"{escape_text(plan.subject)}   {change}   {plan.lasts}{root}"
        for step in plan.steps:
            yield from (f"  {line}" for line in _render_step(step))
        if plan.irreversible:
            yield f"  undo: none, {plan.irreversible}"
        yield from (f"  note: {remark}" for remark in plan.remarks)


def _render_step(step: PlanStep) -> Iterator[str]:
    if isinstance(step, CommandStep):
        yield f"$ {format_command(step.argv)}"
        if step.undo:
            yield f"undo: {format_command(step.undo)}"
    elif isinstance(step, WriteStep):
        verb = "create" if step.found is None else "change"
        yield f"{verb} {escape_text(step.path)}"
        yield from (f"  {line}" for line in _render_changes(step))
        back = "removes the file" if step.found is None else "restores it byte for byte"
        yield f"undo: {back}"
    else:
        yield from _render_removal(step)


def _render_changes(step: WriteStep) -> Iterator[str]:
    """Only the lines that change: the others are nobody's business."""
    yield from render_file_changes(step.found, step.content)


def render_file_changes(before: bytes | None, after: bytes | None) -> Iterator[str]:
    """The lines of a file that differ; None: there is no file."""
    old, new = ((text or b"").decode("utf-8", "replace").splitlines() for text in (before, after))
    for line in list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]:
        if not line.startswith("@@"):
            yield f"{line[0]} {escape_text(line[1:])}"


def _render_removal(step: RemoveStep) -> Iterator[str]:
    for path in step.paths[:_MAX_LISTED]:
        yield f"$ rm -f -- {format_command((path,))}"
    if len(step.paths) > _MAX_LISTED:
        yield f"... and {len(step.paths) - _MAX_LISTED} more"


def format_command(argv: Iterable[str]) -> str:
    """A command that can be pasted, or at least read without harm."""
    return escape_text(shlex.join(argv))


def render_undo(entry: JournalEntry) -> Iterator[str]:
    """What taking back an entry will do."""
    change = escape_text(f"{entry.after} → {entry.before}")
    yield f"{entry.id}   {escape_text(entry.subject)}   {change}"
    for record in reversed(entry.steps):
        yield f"  {_render_reversal(record)}"


def _render_reversal(record: JournalRecord) -> str:
    if isinstance(record, CommandStep):
        argv = record.gauge.build_command(record.before) if record.gauge else record.undo
        return f"$ {format_command(argv)}" if argv else "nothing to run"
    if isinstance(record, ReplacedFile):
        return f"{'restore' if record.existed else 'remove'} {escape_text(record.path)}"
    return "removed files are not restored"


def render_history(entries: Iterable[JournalEntry | DamagedEntry], *, busy: bool) -> Iterator[str]:
    """The journal, newest last."""
    for entry in entries:
        if isinstance(entry, DamagedEntry):
            yield f"{escape_text(entry.id)}   unreadable: {escape_text(entry.reason)}"
            continue
        change = escape_text(f"{entry.before} → {entry.after}")
        state = describe_state(entry, busy=busy) + _SEAL_REMARKS.get(entry.authenticity, "")
        yield f"{entry.id}   {state}   {escape_text(entry.subject)}   {change}"
        yield f"  {entry.when}   by {escape_text(entry.who)}   {entry.lasts}"
        if entry.reason:
            yield f"  {escape_text(entry.reason)}"


def render_foreign(journal: str, items: Iterable[ForeignItem]) -> Iterator[str]:
    """What lies in the folder of a journal and is none of its entries."""
    for item in items:
        place = escape_text(f"{journal}/{item.name}")
        yield f"left alone: {place}: {escape_text(item.reason)}"


_SEAL_REMARKS = {
    Authenticity.UNSEALED: " (no seal)",
    Authenticity.ALTERED: " (altered)",
}


def describe_state(entry: JournalEntry, *, busy: bool) -> str:
    """How far an entry came, told truthfully when nobody is at it any more."""
    if entry.is_unfinished:
        return "in progress" if busy else "interrupted: the next fix undoes it"
    return entry.state.value
