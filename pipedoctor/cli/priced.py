"""`check --measure TARGET`: run the user's loader, so that remedies have a price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.bar import Tell, bar

if TYPE_CHECKING:
    from pipedoctor.facts import Pipeline
    from pipedoctor.tune.tuning import Order, Tuning

BUDGET = 30.0
"""Seconds for measuring, beside the deadline of the examination."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A pipeline that was measured, or why it could not be."""

    pipeline: "Pipeline | None" = None
    unmeasured: Mapping[str, str] = field(default_factory=dict[str, str])
    interrupted: bool = False


def given(typed: Mapping[str, Any]) -> None:
    """Refuse what goes with --measure alone; raises UsageError."""
    names = ("budget", "step_seconds", "step")
    loose = [name for name in names if typed.get(name) is not None]
    if loose and not typed.get("measure"):
        option = loose[0].replace("_", "-")
        message = f"--{option} goes with --measure TARGET"
        raise click.UsageError(message)
    if typed.get("measure") and typed.get("record"):
        message = "--from judges a record: --measure names something of this machine"
        raise click.UsageError(message)


def measured(typed: Mapping[str, Any], paths: Sequence[str]) -> Measurement:
    """
    Measure what was typed; raises UsageError for a target that cannot be read.

    Ctrl-C ends the measuring alone: what needs none is still to be said.
    """
    target = typed.get("measure")
    if not target:
        return Measurement(unmeasured={"pipeline": "no --measure TARGET given"})
    from pipedoctor.cli.privacy import overheard
    from pipedoctor.tune.beside import tuned
    from pipedoctor.tune.session import Lost, Refused

    budget = typed.get("budget") or BUDGET
    try:
        with bar(budget) as tell:
            found = tuned(_order(typed, budget, tell))
    except Refused as reason:
        message = refusal(target, reason)
        raise click.UsageError(message) from None
    except Lost as reason:
        why = f"{target}: {overheard(reason)}"
        return Measurement(unmeasured={"pipeline": why})
    except KeyboardInterrupt:
        return _stopped(target)
    return _stopped(target) if found.interrupted else of(found, paths)


def _order(typed: Mapping[str, Any], budget: float, tell: Tell) -> "Order":
    from pipedoctor.cli.targeted import order

    wanted: Order = order(
        {
            "target": typed["measure"],
            "budget": budget,
            "step_seconds": typed.get("step_seconds"),
            "step": typed.get("step"),
            "ranks": typed.get("ranks") or 1,
            "watch": tell,
        }
    )
    return wanted


def _stopped(target: str) -> Measurement:
    why = f"{target}: interrupted"
    return Measurement(unmeasured={"pipeline": why}, interrupted=True)


def refusal(target: str, reason: object) -> str:
    """Why a target cannot be used, its name once."""
    from pipedoctor.cli.privacy import overheard

    said = str(reason).removeprefix(f"{target}: ")
    return f"--measure {target}: {overheard(said)}"


def mention(typed: Mapping[str, Any], found: Measurement) -> None:
    """Say on stderr, in one line, why there is no gain although it was asked for."""
    if not typed.get("measure") or found.pipeline is not None:
        return
    from pipedoctor.report.words import clean

    for why in found.unmeasured.values():
        click.echo(f"pipedoctor check: could not measure {clean(why)}", err=True)


def of(found: "Tuning", paths: Sequence[str]) -> Measurement:
    """
    What can be believed of it.

    Where others disturbed it so much that nothing can be said, the windows that they
    decided go; else the processor times have confirmed them.
    """
    from msgspec.structs import replace

    from pipedoctor.collect.source import shown
    from pipedoctor.facts.source import Spot
    from pipedoctor.tune.decide import overruled

    seen = found.seen
    trials = seen.trials
    doubted = found.unmeasured or overruled(seen)
    if doubted:
        trials = tuple(trial for trial in trials if not trial.window.refused)
    if not trials:
        refused = next((t.window.refused for t in seen.trials), "")
        why = found.trouble or refused or "no batch came in the time given"
        return Measurement(unmeasured={"pipeline": f"{seen.target}: {why}"})
    spot = None
    if found.made_at is not None:
        path, line = found.made_at
        spot = Spot(path=shown(path, paths), line=line)
    whole = replace(
        seen,
        trials=trials,
        best=seen.start if doubted else seen.best,
        limits=found.skipped,
        made_at=spot,
    )
    return Measurement(pipeline=whole)
