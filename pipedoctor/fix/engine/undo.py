"""The way back: step by step, last first, and each proved; also after a crash."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from pipedoctor.facts import UnreadableError
from pipedoctor.fix.engine import engine
from pipedoctor.fix.engine.engine import GarbageLookup, LockedJournal, Proof
from pipedoctor.fix.files import files
from pipedoctor.fix.files.files import ReplacedFile
from pipedoctor.fix.journal.entry import FixState, JournalEntry, JournalRecord
from pipedoctor.fix.plan.current_value import SHM_PATH
from pipedoctor.fix.plan.plan import CommandStep, FixRefusedError, RemoveStep, StepFailedError
from pipedoctor.runtime.files import measure_space
from pipedoctor.units import format_size

RecoveryLookup = Callable[[str], tuple[GarbageLookup, Proof]]
"""For the code of a check: how to look for its garbage, and how to prove it gone."""


@dataclass(frozen=True)
class ReversalStates:
    """The states of an entry while it is reversed, and afterwards."""

    during: FixState
    after: FixState


ROLL_BACK = ReversalStates(FixState.ROLLING_BACK, FixState.ROLLED_BACK)
UNDO = ReversalStates(FixState.UNDOING, FixState.UNDONE)


def reverse_entry(
    locked_journal: LockedJournal,
    entry: JournalEntry,
    states: ReversalStates,
    *,
    reason: str = "",
    force: bool = False,
    own_change: bool = False,
) -> JournalEntry:
    """
    Reverse every step that was begun; ends in `way.after`, or in `failed`.

    Each reversal may be done twice without harm, since we may be killed in between.
    `force` also reverses what somebody else changed after us; `ours`: a value that
    is neither the old nor the new one can only come from our own failed command.
    """
    reason = reason or entry.reason
    entry = _try_save(locked_journal, entry, state=states.during, reason=reason)
    faults: list[str] = []
    for record in reversed(entry.steps[: entry.step]):
        try:
            surely = force or (own_change and isinstance(record, CommandStep))
            reverse_step(locked_journal, entry, record, force=surely)
        except (StepFailedError, OSError) as fault:  # noqa: PERF203  (the others still go back)
            faults.append(str(fault))
    state = FixState.FAILED if faults else states.after
    reason = "; ".join(filter(None, [reason, *faults]))
    return _try_save(locked_journal, entry, state=state, reason=reason)


def _try_save(
    locked_journal: LockedJournal, entry: JournalEntry, **changes: object
) -> JournalEntry:
    """
    Save the entry if possible: a full disk must not stop a reversal.

    What could not be noted is found unfinished by the next fix, which goes back
    once more, without harm.
    """
    try:
        return locked_journal.journal.save(entry, **changes)
    except OSError:
        return msgspec.structs.replace(entry, **changes)


def reverse_step(
    locked_journal: LockedJournal,
    entry: JournalEntry,
    record: JournalRecord,
    *,
    force: bool,
) -> None:
    """Take one step back and see that it is back; Failed when it cannot be."""
    if isinstance(record, ReplacedFile):
        _restore_file(locked_journal, entry, record, force=force)
    elif isinstance(record, RemoveStep):
        message = f"removed files cannot be restored: {', '.join(record.paths)}"
        raise StepFailedError(message)
    elif record.undo:
        _run_undo(locked_journal, entry, record, force=force)


def _restore_file(
    locked_journal: LockedJournal,
    entry: JournalEntry,
    file: ReplacedFile,
    *,
    force: bool,
) -> None:
    files.remove_draft(file)
    now = files.read_current(file)
    if files.hash_content(now) == file.digest_before:
        return
    if not force and (why := _explain_links(file)):
        raise StepFailedError(why)
    if files.hash_content(now) != file.digest_after:
        if not force:
            raise StepFailedError(_describe_changed_file(file))
        if now is not None:
            name = f"overwritten-{files.hash_content(now)[:12]}"
            locked_journal.journal.save_backups(entry.id, {name: now})
    files.restore_content(file, locked_journal.journal.read_backup(entry, file.backup))
    if files.hash_content(files.read_current(file)) != file.digest_before:
        message = f"{file.path} is not restored"
        raise StepFailedError(message)


def build_reversal(step: CommandStep, *, is_genuine: bool) -> tuple[str, ...]:
    """
    The command that takes a step back, from typed data; raises StepFailedError.

    Only a command of somebody else's check, which has no types, is run as it was
    written, and only where the seal says that we have written it.
    """
    try:
        if step.gauge is not None:
            return step.gauge.build_command(step.before)
    except ValueError as error:
        raise StepFailedError(str(error)) from None
    if not is_genuine:
        message = "its command is not of a kind that fix can build itself"
        raise StepFailedError(message)
    return step.undo


def refuse_untyped(entry: JournalEntry) -> None:
    """Refuse an entry whose values make no command; StepFailedError says which."""
    for step in entry.steps:
        if isinstance(step, CommandStep) and (step.undo or step.gauge):
            try:
                build_reversal(step, is_genuine=not entry.is_doubtful)
            except StepFailedError as error:
                message = f"fix {entry.id} cannot be undone: {error}"
                raise FixRefusedError(message) from None


def _run_undo(
    locked_journal: LockedJournal, entry: JournalEntry, step: CommandStep, *, force: bool
) -> None:
    if step.gauge is not None:
        now = step.gauge.read()
        if now is None or now == step.before:
            return
        if now != step.after and not force:
            raise StepFailedError(_describe_changed_value(step, now))
    if why_not := _explain_shm_in_use(step):
        raise StepFailedError(why_not)
    engine.run_command(build_reversal(step, is_genuine=entry.is_genuine), locked_journal.lock)
    if step.gauge is not None and (now := step.gauge.read()) != step.before:
        shown = "nothing" if now is None else step.gauge.format_value(now)
        message = f"{step.gauge.subject} shows {shown} after the undo"
        raise StepFailedError(message)


def list_obstacles(entry: JournalEntry) -> list[str]:
    """Why an entry cannot be taken back as things are; `force` passes all but use."""
    return [why for record in entry.steps if (why := _find_obstacle(entry, record))]


def list_hard_obstacles(entry: JournalEntry) -> list[str]:
    """Why an entry cannot be taken back, whoever insists."""
    if entry.irreversible:
        return [entry.irreversible]
    steps = (step for step in entry.steps if isinstance(step, CommandStep))
    return [why for step in steps if (why := _explain_shm_in_use(step))]


def _find_obstacle(entry: JournalEntry, record: JournalRecord) -> str:
    if isinstance(record, RemoveStep):
        return entry.irreversible
    if isinstance(record, ReplacedFile):
        held = files.hash_content(files.read_current(record))
        fits = held in {record.digest_before, record.digest_after}
        return _explain_links(record) if fits else _describe_changed_file(record)
    now = record.gauge.read() if record.gauge else None
    if now is None or now in {record.before, record.after}:
        return ""
    return _describe_changed_value(record, now)


def _explain_shm_in_use(step: CommandStep) -> str:
    if step.gauge is None or step.gauge.kind != "shm":
        return ""
    try:
        size, free, _ = measure_space(SHM_PATH)
    except UnreadableError as error:
        return f"{SHM_PATH} cannot be examined: {error}"
    used = size - free
    if not int(step.before) or used <= int(step.before):
        return ""
    before = format_size(int(step.before))
    return (
        f"{format_size(used)} are in use in {SHM_PATH} now, more than its previous {before}: "
        "remove files from it first, or stop the job"
    )


def _describe_changed_file(file: ReplacedFile) -> str:
    return f"{file.path} was changed after the fix"


def _explain_links(file: ReplacedFile) -> str:
    count = files.count_links(file)
    if not file.existed or count < 2:  # noqa: PLR2004  (one name is its own)
        return ""
    return f"{file.path} has {count} hard links now, which restoring it would separate"


def _describe_changed_value(step: CommandStep, now: str) -> str:
    assert step.gauge is not None  # noqa: S101  (callers have read it)
    shown = step.gauge.format_value(now)
    return f"{step.gauge.subject} was changed to {shown} after the fix"


def recover_unfinished(locked_journal: LockedJournal, lookup: RecoveryLookup) -> list[JournalEntry]:
    """
    Bring fixes that were killed in the middle to an end, newest first.

    We hold the lock, so nobody works on them. A removal is finished, all else is
    taken back: an undo to `undone`, a fix to `rolled-back`.
    """
    ended: list[JournalEntry] = []
    locked_journal.journal.remove_drafts()
    for entry in locked_journal.journal.list_unfinished():
        if not entry.is_genuine:
            continue  # only who has seen its plan takes it back
        if entry.irreversible and all(isinstance(s, RemoveStep) for s in entry.steps):
            ended.append(_finish_removal(locked_journal, entry, *lookup(entry.check)))
        else:
            way = UNDO if entry.state is FixState.UNDOING else ROLL_BACK
            reason = entry.reason or "it was interrupted"
            ended.append(reverse_entry(locked_journal, entry, way, reason=reason))
    return ended


def _finish_removal(
    locked_journal: LockedJournal,
    entry: JournalEntry,
    garbage: GarbageLookup,
    proof: Proof,
) -> JournalEntry:
    for step in entry.steps:
        if isinstance(step, RemoveStep):
            engine.remove_garbage(step, garbage())
    why_not = proof()
    state = FixState.FAILED if why_not else FixState.PROVED
    return locked_journal.journal.save(entry, state=state, step=len(entry.steps), reason=why_not)
