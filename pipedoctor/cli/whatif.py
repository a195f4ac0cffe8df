"""`pipedoctor whatif TARGET`: predict another setting, or another machine."""

from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import INTERRUPTED_CODE
from pipedoctor.cli.actions.quiet import wait_as_asked
from pipedoctor.cli.actions.target_options import (
    NOT_MEASURED_CODE,
    add_target_options,
    build_order,
    exit_unmeasured,
)
from pipedoctor.cli.request.option_types import CORES, POSITIVE_COUNT

if TYPE_CHECKING:
    from pipedoctor.cli.request.requests import WhatIfRequest
    from pipedoctor.tune.compare.whatif import WhatIfChange
    from pipedoctor.tune.search.tuning import SearchAttempt


class FactorType(click.ParamType[float]):
    """How many times as fast: ``2x``, ``0.5x`` or ``2``."""

    name = "times"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Read a factor, or say what one looks like."""
        try:
            factor = float(str(value).lower().removesuffix("x"))
        except ValueError:
            factor = 0.0
        if not 0.001 <= factor <= 1000:  # noqa: PLR2004  (nothing is so much faster)
            self.fail(f"{value!r} is not a factor: expected 2x or 0.5x", param, ctx)
        return factor


@click.command("whatif")
@add_target_options
@click.option("--workers", type=click.IntRange(0, 128), help="Predict for this num_workers.")
@click.option("--prefetch", type=click.IntRange(1, 1024), help="Predict for this prefetch_factor.")
@click.option("--in-order/--no-in-order", default=None, help="Predict for this in_order.")
@click.option(
    "--persistent/--no-persistent", default=None, help="Predict for this persistent_workers."
)
@click.option("--pin-memory/--no-pin-memory", default=None, help="Predict for this pin_memory.")
@click.option("--batch", type=POSITIVE_COUNT, help="Predict for this batch_size.")
@click.option("--cores", type=CORES, help="Predict for this number of CPUs.")
@click.option(
    "--storage", type=FactorType(), default=1.0, help="Speed of the storage, as a factor: 2x."
)
@click.option(
    "--dtype",
    type=click.Choice(["uint8"]),
    help="Predict for values of this type instead of floats.",
)
@click.option(
    "--one-thread", is_flag=True, help="Use one thread for the numerical libraries in workers."
)
@click.option(
    "--start-method",
    type=click.Choice(["fork", "forkserver", "spawn"]),
    help="How workers are started; affects the time to the first batch.",
)
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Predict the throughput of TARGET with another setting or on another machine.

    The target is probed for some seconds, then the loader is simulated. Values that
    were not measured are marked as modelled.

    Exit codes: 0 done, 2 wrong usage or unreadable target, 3 could not measure.
    """
    from pipedoctor.cli.actions.privacy import redact_message
    from pipedoctor.cli.actions.program_paths import refuse_dead_paths
    from pipedoctor.cli.request.requests import WhatIfRequest
    from pipedoctor.cli.terminal.progress_bar import show_bar
    from pipedoctor.tune.compare import whatif
    from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError
    from pipedoctor.tune.search.tuning import run_search

    request = WhatIfRequest(**parameters)
    change = _parse_change(request)
    refuse_dead_paths(context, target=request.target)
    wait_as_asked(context)
    try:
        with show_bar(request.budget) as tell:
            done = run_search(
                build_order(request, tell),
                lambda search: whatif.probe_pipeline(search, change.start_method),
                validate=lambda search, loaded: whatif.validate_change(search, change, loaded),
            )
    except TargetRefusedError as reason:
        raise click.UsageError(redact_message(reason)) from None
    except TargetLostError as reason:
        exit_unmeasured(context, request.target, reason)
    except KeyboardInterrupt:
        context.exit(INTERRUPTED_CODE)
    if why := _explain_unpredictable(done):
        exit_unmeasured(
            context,
            request.target,
            why,
            INTERRUPTED_CODE if done.interrupted else NOT_MEASURED_CODE,
        )
    found = _predict_redacted(done, change, request)
    _write_prediction(found, request, own_batches=done.loaded_target.own_batches)
    context.exit(INTERRUPTED_CODE if done.interrupted else 0)


def _write_prediction(
    prediction: dict[str, Any], request: "WhatIfRequest", *, own_batches: bool
) -> None:
    from pipedoctor.cli.terminal.output import get_width, is_stdout, write_output
    from pipedoctor.tune.output.whatif import render, render_json

    if request.form == "json":
        write_output(render_json(prediction), request.output)
        return
    columns = get_width() if is_stdout(request.output) else 100
    write_output(render(prediction, width=columns, has_own_batches=own_batches), request.output)


def _explain_unpredictable(attempt: "SearchAttempt") -> str:
    """Why nothing can be imagined; empty: something can."""
    from pipedoctor.tune.search.decide import explain_unusable

    search = attempt.search
    if attempt.failure:
        return attempt.failure
    trials = search.ledger.trials
    known = search.ledger.find_trials(search.start) and any(trial.costs for trial in trials)
    if attempt.interrupted and not known:
        return "interrupted before the current setting was measured"
    return explain_unusable(search.build_pipeline())


def _predict_redacted(
    attempt: "SearchAttempt", change: "WhatIfChange", request: "WhatIfRequest"
) -> dict[str, Any]:
    """The answer as this file, or stdout, may show it."""
    from pipedoctor.cli.actions.privacy import make_redactor, redact_texts
    from pipedoctor.tune.compare.whatif import predict_change

    found = predict_change(attempt.search, change, accelerator=attempt.loaded_target.accelerator)
    named = {"target": found["target"]}
    hidden = redact_texts(make_redactor(request.output, no_redact=request.no_redact), named)
    return {**found, **hidden, "interrupted": attempt.interrupted}


def _parse_change(request: "WhatIfRequest") -> "WhatIfChange":
    """What to imagine; the rest of the request is how to measure."""
    from pipedoctor.tune.compare.whatif import WhatIfChange
    from pipedoctor.tune.model.predict import Scenario

    return WhatIfChange(
        workers=request.workers,
        prefetch=request.prefetch,
        in_order=request.in_order,
        persistent=request.persistent,
        pin_memory=request.pin_memory,
        batch=request.batch,
        one_thread=request.one_thread,
        start_method=request.start_method,
        scenario=Scenario(
            cores=request.cores,
            storage=request.storage,
            uint8=request.dtype == "uint8",
        ),
    )
