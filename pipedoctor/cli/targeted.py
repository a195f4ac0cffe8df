"""What `tune` and `whatif` have in common: options, ways to fail."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import click

from pipedoctor.cli.options import NO_REDACT, OUTPUT
from pipedoctor.cli.types import PATH, SECONDS, SIZE, SOME, STEP

FAILED = 3
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("target"),
    click.option(
        "--batch-size",
        type=SOME,
        help="Samples of a batch; without it unchanged, 32 for a bare data set.",
    ),
    click.option(
        "--step-seconds",
        type=STEP,
        help="How long the consumer takes for a batch; without it there is none.",
    ),
    click.option(
        "--step",
        type=PATH,
        metavar="MODULE:CALLABLE",
        help="The consumer: called with every batch.",
    ),
    click.option(
        "--budget",
        type=SECONDS,
        default=30,
        show_default=True,
        help="Seconds for everything, the import of torch included.",
    ),
    click.option(
        "--max-workers", type=click.IntRange(0, 128), help="Try no more workers."
    ),
    click.option(
        "--memory",
        type=SIZE,
        help="Memory that workers and batches may use, of each of the --ranks.",
    ),
    click.option(
        "--ranks",
        type=SOME,
        default=1,
        show_default=True,
        help="Processes that share this machine; one is measured, on its CPUs.",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
    ),
    OUTPUT,
    NO_REDACT,
)


def targeted(function: F) -> F:
    """Add the argument and the options that both commands have."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def order(options: dict[str, Any]) -> Any:
    """An `Order` of these options; refuses what contradicts itself."""
    from pipedoctor.tune.tuning import Order

    seconds, step = options.pop("step_seconds"), options.pop("step")
    if seconds and step:
        message = "--step-seconds and --step: give one of them"
        raise click.UsageError(message)
    if step and ":" not in step:
        message = f"--step {step}: write module:callable or file.py:callable"
        raise click.UsageError(message)
    return Order(step=step or (str(seconds) if seconds else ""), **options)


def lost(
    context: click.Context, target: str, reason: object, code: int = FAILED
) -> NoReturn:
    """Say in one line why nothing could be measured, and end with this code."""
    from pipedoctor.cli.privacy import overheard
    from pipedoctor.report.words import clean

    name, why = context.info_name or "", clean(overheard(reason))
    click.echo(f"pipedoctor {name}: {clean(target)}: {why}", err=True)
    context.exit(code)
