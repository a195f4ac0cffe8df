"""Carry out one plan for the user: done and proved, or everything as it was."""

from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import engine, plan_text, undo
from pipedoctor.fix.engine.engine import GarbageLookup, LockedJournal, Proof
from pipedoctor.fix.journal.entry import FixState, JournalEntry
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError, StepFailedError


def apply_or_roll_back(
    console: Console,
    locked_journal: LockedJournal,
    plan: FixPlan,
    proof: Proof,
    garbage: GarbageLookup = frozenset,
    *,
    unchanged: str = "nothing was changed",
) -> int:
    """
    Note, act, prove; gives the exit code of `fix`.

    `unchanged` begins the refusal where not even the plan could be noted.
    """
    try:
        entry = engine.record_plan(locked_journal, plan)
    except (StepFailedError, OSError) as fault:
        return console.report_refusal(FixRefusedError(f"{unchanged}: {fault}"))
    try:
        entry = engine.execute_plan(locked_journal, entry, plan, garbage, proof)
    except (StepFailedError, OSError) as fault:
        return _roll_back(console, locked_journal, entry, str(fault))
    except (KeyboardInterrupt, FixRefusedError) as fault:
        return _roll_back(console, locked_journal, entry, str(fault) or "it was interrupted")
    back = f"; undo: pipedoctor fix --undo {entry.id}"
    result = plan_text.escape_text(f"{plan.subject} {plan.after}")
    console.print_lines(
        f"done and proved: {result}   (fix {entry.id}{'' if plan.irreversible else back})"
    )
    return 0


def _roll_back(
    console: Console, locked_journal: LockedJournal, entry: JournalEntry, why: str
) -> int:
    """The entry in hand may be older than the one on disk, which counts."""
    found = locked_journal.journal.find_entry(entry.id)
    entry = found if isinstance(found, JournalEntry) else entry
    entry = undo.reverse_entry(locked_journal, entry, undo.ROLL_BACK, reason=why, own_change=True)
    back = entry.state is FixState.ROLLED_BACK
    ending = "it was rolled back" if back else "and it could not be rolled back"
    report_failure(console, entry, ending)
    return 1


def report_failure(console: Console, entry: JournalEntry, ending: str = "") -> None:
    """Say on stderr why a fix or its undo has failed, and how that ended."""
    ended = f"; {ending}" if ending else ""
    console.print_error(f"failed: {entry.reason}{ended} (fix {entry.id})")
