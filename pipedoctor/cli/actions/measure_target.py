"""`check --measure TARGET`: run the user's loader, so that remedies have a price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from pipedoctor.cli.request.requests import CheckRequest, TargetRequest
from pipedoctor.cli.terminal.progress_bar import show_bar
from pipedoctor.facts.applicability import NOT_REQUESTED
from pipedoctor.tune import DEFAULT_BUDGET

if TYPE_CHECKING:
    from pipedoctor.facts import Pipeline
    from pipedoctor.tune.search.tuning import Tuning


@dataclass(frozen=True, kw_only=True)
class TargetMeasurement:
    """A pipeline that was measured, or why it could not be."""

    pipeline: "Pipeline | None" = None
    unmeasured: Mapping[str, str] = field(default_factory=dict[str, str])
    interrupted: bool = False


def validate_options(request: CheckRequest) -> None:
    """Refuse what goes with --measure alone; raises UsageError."""
    values = {
        "--budget": request.budget,
        "--step-seconds": request.step_seconds,
        "--step": request.step,
    }
    loose = [option for option, value in values.items() if value is not None]
    if loose and not request.measure:
        message = f"{loose[0]} requires --measure TARGET"
        raise click.UsageError(message)
    if request.measure and request.record:
        message = "--from judges a saved report: it cannot be combined with --measure"
        raise click.UsageError(message)


def measure_loader(request: CheckRequest, paths: Sequence[str]) -> TargetMeasurement:
    """
    Measure what was typed; raises UsageError for a target that cannot be read.

    Ctrl-C ends the measuring alone: what needs none is still to be said.
    """
    target = request.measure
    if not target:
        return TargetMeasurement(unmeasured={"pipeline": NOT_REQUESTED["pipeline"]})
    from pipedoctor.cli.actions.privacy import redact_message
    from pipedoctor.cli.actions.program_paths import find_dead_program_path
    from pipedoctor.cli.actions.target_options import build_order
    from pipedoctor.tune.compare.variants import tune_with_threads
    from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError

    if dead := find_dead_program_path(target=target):
        return TargetMeasurement(unmeasured={"pipeline": f"{target}: {dead}"})
    loader = TargetRequest(
        target=target,
        budget=request.budget or DEFAULT_BUDGET,
        step_seconds=request.step_seconds,
        step=request.step,
        ranks=request.configurable.options.ranks or 1,
    )
    try:
        with show_bar(loader.budget) as tell:
            found = tune_with_threads(build_order(loader, tell))
    except TargetRefusedError as reason:
        message = format_refusal(target, reason)
        raise click.UsageError(message) from None
    except TargetLostError as reason:
        why = f"{target}: {redact_message(reason)}"
        return TargetMeasurement(unmeasured={"pipeline": why})
    except KeyboardInterrupt:
        return _make_interrupted(target)
    return _make_interrupted(target) if found.interrupted else make_measurement(found, paths)


def _make_interrupted(target: str) -> TargetMeasurement:
    why = f"{target}: interrupted"
    return TargetMeasurement(unmeasured={"pipeline": why}, interrupted=True)


def format_refusal(target: str, reason: object) -> str:
    """Why a target cannot be used, its name once."""
    from pipedoctor.cli.actions.privacy import redact_message

    reason_text = str(reason).removeprefix(f"{target}: ")
    return f"--measure {target}: {redact_message(reason_text)}"


def report_unmeasured(request: CheckRequest, measurement: TargetMeasurement) -> None:
    """Say on stderr, in one line, why there is no gain although it was asked for."""
    if not request.measure or measurement.pipeline is not None:
        return
    from pipedoctor.report.sentences import clean_text

    for why in measurement.unmeasured.values():
        click.echo(f"pipedoctor check: could not measure {clean_text(why)}", err=True)


def make_measurement(tuning: "Tuning", paths: Sequence[str]) -> TargetMeasurement:
    """
    The part of a tuning that can be believed.

    Where others disturbed it so much that nothing can be said, the windows that they
    decided go; else the processor times have confirmed them.
    """
    from msgspec.structs import replace

    from pipedoctor.collect.code.code_path import format_path
    from pipedoctor.facts.source import Spot
    from pipedoctor.tune.search.decide import explain_unusable

    seen = tuning.pipeline
    trials = seen.trials
    doubted = tuning.undecided_reason or explain_unusable(seen)
    if doubted:
        trials = tuple(trial for trial in trials if not trial.window.rejection_reason)
    if not trials:
        refused = next((t.window.rejection_reason for t in seen.trials), "")
        why = tuning.failure or refused or "no batch arrived within the budget"
        return TargetMeasurement(unmeasured={"pipeline": f"{seen.target}: {why}"})
    spot = None
    if tuning.made_at is not None:
        path, line = tuning.made_at
        spot = Spot(path=format_path(path, paths), line=line)
    whole = replace(
        seen,
        trials=trials,
        best=seen.start if doubted else seen.best,
        limits=tuning.excluding_limits,
        made_at=spot,
    )
    return TargetMeasurement(pipeline=whole)
