"""Plans and steps to try the engine with."""

from pathlib import Path

from pipedoctor.fix import engine
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Entry
from pipedoctor.fix.plan import Plan, Run, Step


def plan(*steps: Step, irreversible: str = "") -> Plan:
    return Plan(
        subject="something",
        before="ill",
        after="well",
        steps=steps,
        lasts="for good",
        irreversible=irreversible,
    )


def touching(path: Path) -> Run:
    return Run(argv=("touch", str(path)), undo=("rm", "-f", str(path)))


def nothing() -> frozenset[str]:
    return frozenset()


def proved() -> str:
    return ""


def carried_out(shop: Workshop, *steps: Step) -> Entry:
    return carried_out_of(shop, plan(*steps))


def carried_out_of(shop: Workshop, whole: Plan) -> Entry:
    entry = engine.begin(shop, whole)
    return engine.carry_out(shop, entry, whole, nothing, proved)


def again(_: str) -> tuple[engine.Garbage, engine.Proof]:
    return nothing, proved
