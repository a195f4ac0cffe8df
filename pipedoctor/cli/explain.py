"""`pipedoctor explain NAME`: the page of a check."""

import click


@click.command("explain")
@click.argument("name")
def command(name: str) -> None:
    """Show the page of a check, by its name or code."""
    from pipedoctor.catalogue import installed
    from pipedoctor.cli import output
    from pipedoctor.collect import files
    from pipedoctor.page import page
    from pipedoctor.selection import suggestion

    if name == "-" or not files.missing([name]):
        message = f"{name}: reading logs is not built yet; give a check's name or code"
        raise click.UsageError(message)
    catalogue = installed()
    check = catalogue.find(name)
    if check is None:
        close = suggestion(name.lower(), (*catalogue.by_name, *catalogue.checks))
        message = f"{name}: no file, and no check of this name or code{close}"
        raise click.UsageError(message)
    output.write(page(check), None)
