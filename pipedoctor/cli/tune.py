"""`pipedoctor tune TARGET`: find DataLoader arguments by measuring."""

import click

from pipedoctor.cli.types import PATH, SECONDS, SIZE, SOME

FAILED = 3
INTERRUPTED = 130


@click.command("tune")
@click.argument("target")
@click.option("--batch-size", type=SOME, help="Samples of a batch; else unchanged.")
@click.option(
    "--step-seconds",
    type=click.FloatRange(min=0, max=3600),
    help="How long the consumer takes for a batch; default: no consumer.",
)
@click.option("--step", metavar="MODULE:CALLABLE", help="Called with every batch.")
@click.option("--budget", type=SECONDS, default=30, show_default=True, help="Seconds.")
@click.option("--max-workers", type=click.IntRange(0, 128), help="Try no more.")
@click.option("--memory", type=SIZE, help="Memory that workers and batches may use.")
@click.option("--ranks", type=SOME, default=1, help="Processes that share the machine.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option("-o", "--output", type=PATH, help="Write to a file.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    target: str,
    batch_size: int | None,
    step_seconds: float | None,
    step: str | None,
    budget: float,
    max_workers: int | None,
    memory: int | None,
    ranks: int,
    form: str,
    output: str | None,
) -> None:
    """
    Find the DataLoader arguments for TARGET: file.py:callable or module:callable.

    The callable returns a Dataset or a DataLoader. It is run, in processes of its
    own that are ended with everything they started.
    """
    import json

    from pipedoctor.cli.output import write
    from pipedoctor.tune.json import record
    from pipedoctor.tune.session import Lost, Refused
    from pipedoctor.tune.tuning import Order, tune

    order = Order(
        target=target,
        batch_size=batch_size,
        step=step or (str(step_seconds) if step_seconds else ""),
        budget=budget,
        max_workers=max_workers,
        memory=memory,
        ranks=ranks,
    )
    try:
        found = tune(order)
    except Refused as reason:
        raise click.UsageError(str(reason)) from None
    except Lost as reason:
        click.echo(f"pipedoctor tune: {target}: {reason}", err=True)
        context.exit(FAILED)
    write(json.dumps(record(found), indent=1) + "\n", output)
    if found.unmeasured:
        click.echo(f"pipedoctor tune: {target}: {found.unmeasured}", err=True)
    code = INTERRUPTED if found.interrupted else FAILED if found.unmeasured else 0
    context.exit(code)
