"""`pipedoctor explain NAME`: the page of a check."""

import click


@click.command("explain")
@click.argument("name")
def command(name: str) -> None:
    """Show the page of a check, by its name or code."""
    from pipedoctor.catalogue import installed
    from pipedoctor.page import page

    check = installed().find(name)
    if check is None:
        message = f"{name}: no check of this name or code; see `pipedoctor list`"
        raise click.UsageError(message)
    click.echo(page(check))
