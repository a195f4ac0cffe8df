"""Plans and steps to try the engine with."""

from pathlib import Path

from pipedoctor.fix.engine import engine
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.journal.entry import JournalEntry
from pipedoctor.fix.plan.plan import CommandStep, FixPlan, PlanStep
from pipedoctor.runtime.state_dir import is_root


def plan(*steps: PlanStep, irreversible: str = "") -> FixPlan:
    return FixPlan(
        subject="something",
        before="ill",
        after="well",
        steps=steps,
        root=is_root(),
        lasts="for good",
        irreversible=irreversible,
    )


def touching(path: Path) -> CommandStep:
    return CommandStep(argv=("touch", str(path)), undo=("rm", "-f", str(path)))


def nothing() -> frozenset[str]:
    return frozenset()


def proved() -> str:
    return ""


def carried_out(shop: LockedJournal, *steps: PlanStep) -> JournalEntry:
    return carried_out_of(shop, plan(*steps))


def carried_out_of(shop: LockedJournal, whole: FixPlan) -> JournalEntry:
    entry = engine.record_plan(shop, whole)
    return engine.execute_plan(shop, entry, whole, nothing, proved)


def again(_: str) -> tuple[engine.GarbageLookup, engine.Proof]:
    return nothing, proved
