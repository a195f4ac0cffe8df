"""`fix --measure TARGET`: the loader before the change, ready to be compared."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

import click

from pipedoctor.cli.terminal.progress_bar import ProgressCallback, show_bar

if TYPE_CHECKING:
    from pipedoctor.cli.request.requests import FixCommandRequest
    from pipedoctor.facts import Fact
    from pipedoctor.fix.code.measured_gain import EditMeasurement
    from pipedoctor.fix.console.console import Console
    from pipedoctor.fix.request.request import FixRequest
    from pipedoctor.tune.compare.paired import BaselineProbe
    from pipedoctor.tune.search.tuning import TuningRequest


def prepare_edit_measurement(
    stack: ExitStack, request: "FixCommandRequest", paths: tuple[str, ...]
) -> "tuple[EditMeasurement | None, tuple[Fact, ...]]":
    """
    What measures the edits, and the pipeline as it is; nothing without --measure.

    Raises UsageError for a target that cannot be read, and `fix`'s Refused where
    proof is asked for and the machine is too disturbed for one.
    """
    if not request.measure:
        return None, ()
    from pipedoctor.cli.actions.measure_target import make_measurement
    from pipedoctor.fix.code.measured_gain import EditMeasurement
    from pipedoctor.fix.plan import plan

    tell = stack.enter_context(show_bar(request.budget))
    before = _measure_before(stack, _build_measure_order(request, request.measure, tell))
    tell("")  # until what was changed is measured
    if request.prove and before.tuning.undecided_reason:
        message = (
            f"nothing was changed: the gain cannot be proved: {before.tuning.undecided_reason}"
        )
        raise plan.FixRefusedError(message)
    found = make_measurement(before.tuning, paths).pipeline
    clock = EditMeasurement(before=before, strict=request.prove)
    return clock, () if found is None else (found,)


def _measure_before(stack: ExitStack, request: "TuningRequest") -> "BaselineProbe":
    """The loader as it is now; raises UsageError, and `fix`'s Refused."""
    from pipedoctor.cli.actions.measure_target import format_refusal
    from pipedoctor.fix.plan import plan
    from pipedoctor.tune.compare.paired import probe_baseline
    from pipedoctor.tune.search.probe import TrialFailedError
    from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError

    target = request.target
    try:
        return stack.enter_context(probe_baseline(request))
    except TargetRefusedError as reason:
        raise click.UsageError(format_refusal(target, reason)) from None
    except (TrialFailedError, TargetLostError) as reason:
        message = f"nothing was changed: {target} cannot be measured: {reason}"
        raise plan.FixRefusedError(message) from None


def apply_measured(console: "Console", job: "FixRequest", request: "FixCommandRequest") -> int:
    """
    Apply remedies of the machine, by the clock where --measure asks for it.

    What only a loader that runs can tell is measured before there is a plan. Raises
    UsageError where none is named.
    """
    from pipedoctor.fix.machine.apply import apply_fixes
    from pipedoctor.fix.request.named_checks import needs_running_loader

    running = [check.name for check in job.checks if needs_running_loader(check)]
    target = request.measure
    if not target:
        _refuse_unmeasured(running)
        return apply_fixes(console, job)
    from pipedoctor.cli.actions.measure_target import format_refusal, make_measurement
    from pipedoctor.fix.machine.measure_change import ChangeMeasurement
    from pipedoctor.tune.search.session import TargetRefusedError

    with ExitStack() as stack:

        def watch(doing: str) -> None:  # a bar from the first word on, not from consent
            open_bar()(doing)

        open_bar = cache(lambda: stack.enter_context(show_bar(request.budget)))
        wanted = _build_measure_order(request, target, watch)
        before = _measure_before(stack, wanted) if running else None
        if before is not None:
            watch("")
            found = make_measurement(before.tuning, ())
            job = job.with_pipeline(found.pipeline, found.unmeasured)
        clock = ChangeMeasurement(order=wanted, strict=request.prove, measured=before)
        try:
            return apply_fixes(console, job, clock)
        except TargetRefusedError as reason:
            message = format_refusal(target, reason)
            raise click.UsageError(message) from None


def _refuse_unmeasured(names: Sequence[str]) -> None:
    if names:
        message = (
            f"{names[0]}: requires a running loader: give --measure"
            " file.py:callable, or run `pipedoctor check --measure`"
        )
        raise click.UsageError(message)


def _build_measure_order(
    request: "FixCommandRequest", target: str, watch: ProgressCallback
) -> "TuningRequest":
    from pipedoctor.cli.actions.target_options import build_order
    from pipedoctor.cli.request.requests import TargetRequest

    loader = TargetRequest(target=target, budget=request.budget, step_seconds=request.step_seconds)
    return build_order(loader, watch)
