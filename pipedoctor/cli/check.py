"""`pipedoctor check`: examine this machine and report what is wrong, ranked."""

import sys

import click

from pipedoctor.cli.types import AT_LEAST_ONE, COUNT, SIZE

FAIL_ON = ("breaks", "risks", "slows", "note", "never")


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--data", multiple=True, type=click.Path(), help="Where the data set lies."
)
@click.option("--workers", type=COUNT, help="num_workers of the job's DataLoader.")
@click.option("--prefetch", type=AT_LEAST_ONE, help="Its prefetch_factor.")
@click.option("--batch-bytes", type=SIZE, help="Bytes of one batch: 64M.")
@click.option("--ranks", type=AT_LEAST_ONE, help="Training processes on this node.")
@click.option(
    "--quick", is_flag=True, help="Only read: no import of torch, no disk probe."
)
@click.option(
    "--deadline", type=click.FloatRange(min=1), default=15.0, show_default=True
)
@click.option(
    "--fail-on", type=click.Choice(FAIL_ON), default="breaks", show_default=True
)
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text")
def command(
    paths: tuple[str, ...],
    data: tuple[str, ...],
    workers: int | None,
    prefetch: int | None,
    batch_bytes: int | None,
    ranks: int | None,
    quick: bool,
    deadline: float,
    fail_on: str,
    form: str,
) -> None:
    """Examine this machine, its environment and the code in PATHS."""
    import msgspec

    from pipedoctor.catalogue import installed
    from pipedoctor.check import Severity
    from pipedoctor.collect.plan import Inquiry
    from pipedoctor.examine import Standards, examine
    from pipedoctor.facts import Loader

    given = {
        "num_workers": workers,
        "prefetch_factor": prefetch,
        "batch_bytes": batch_bytes,
        "ranks": ranks,
    }
    named = {key: value for key, value in given.items() if value is not None}
    inquiry = Inquiry(
        data=data,
        code=paths,
        quick=quick,
        loader=msgspec.convert(named, Loader) if named else None,
    )
    report = examine(installed(), inquiry, Standards(), deadline=deadline)
    if form == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(report)))
    else:
        for entry in report.findings:
            click.echo(f"{entry.rank}. {entry.severity.upper()} {entry.summary}")
            for remedy in entry.remedies:
                click.echo(f"   {remedy.title}: {remedy.shell}")
    if not report.findings and not report.healthy:
        sys.exit(3)
    worst = report.worst()
    threshold = Severity[fail_on.upper()] if fail_on != "never" else None
    sys.exit(int(threshold is not None and worst is not None and worst >= threshold))
