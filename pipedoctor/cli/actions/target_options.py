"""What `tune` and `whatif` have in common: options, ways to fail."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from pipedoctor.cli.actions.quiet import add_wait_options
from pipedoctor.cli.request.option_types import (
    PATH,
    POSITIVE_COUNT,
    SECONDS,
    SIZE,
    STEP_SECONDS,
)
from pipedoctor.cli.request.options import NO_REDACT_OPTION, OUTPUT_OPTION, format_option
from pipedoctor.tune import DEFAULT_BUDGET

if TYPE_CHECKING:
    from pipedoctor.cli.request.requests import TargetRequest
    from pipedoctor.cli.terminal.progress_bar import ProgressCallback
    from pipedoctor.tune.search.tuning import TuningRequest

NOT_MEASURED_CODE = 3
F = TypeVar("F", bound=Callable[..., Any])

_TARGET_OPTIONS = (
    click.argument("target"),
    click.option(
        "--batch-size",
        type=POSITIVE_COUNT,
        help="Samples per batch (default: as in the target; 32 for a bare dataset).",
    ),
    click.option(
        "--step-seconds",
        type=STEP_SECONDS,
        help="Seconds the consumer takes per batch (default: no consumer).",
    ),
    click.option(
        "--step",
        type=PATH,
        metavar="MODULE:CALLABLE",
        help="The consumer, called with every batch.",
    ),
    click.option(
        "--budget",
        type=SECONDS,
        default=DEFAULT_BUDGET,
        show_default=True,
        help="Seconds for everything, including the import of torch.",
    ),
    click.option(
        "--max-workers", type=click.IntRange(0, 128), help="Try at most this many workers."
    ),
    click.option(
        "--memory",
        type=SIZE,
        help="Memory that workers and batches of each rank may use.",
    ),
    click.option(
        "--ranks",
        type=POSITIVE_COUNT,
        default=1,
        show_default=True,
        help="Training processes on this machine; one is measured, on its share of the CPUs.",
    ),
    format_option(("text", "json")),
    add_wait_options,
    OUTPUT_OPTION,
    NO_REDACT_OPTION,
)


def add_target_options(function: F) -> F:
    """Add the argument and the options that both commands have."""
    for option in reversed(_TARGET_OPTIONS):
        function = option(function)
    return function


def build_order(request: "TargetRequest", watch: "ProgressCallback") -> "TuningRequest":
    """What `tune` takes; raises UsageError for options that contradict each other."""
    from pipedoctor.tune.search.tuning import TuningRequest

    seconds, step = request.step_seconds, request.step
    if seconds and step:
        message = "--step-seconds and --step cannot be combined"
        raise click.UsageError(message)
    if step and ":" not in step:
        message = f"--step {step}: write module:callable or file.py:callable"
        raise click.UsageError(message)
    return TuningRequest(
        target=request.target,
        batch_size=request.batch_size,
        step=step or (str(seconds) if seconds else ""),
        budget=request.budget,
        max_workers=request.max_workers,
        memory=request.memory,
        ranks=request.ranks,
        watch=watch,
    )


def exit_unmeasured(
    context: click.Context, target: str, reason: object, code: int = NOT_MEASURED_CODE
) -> NoReturn:
    """Say in one line why nothing could be measured, and end with this code."""
    from pipedoctor.cli.actions.privacy import redact_message
    from pipedoctor.report.sentences import clean_text

    name, why = context.info_name or "", clean_text(redact_message(reason))
    click.echo(f"pipedoctor {name}: {clean_text(target)}: {why}", err=True)
    context.exit(code)
