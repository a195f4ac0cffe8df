"""`pipedoctor list`: every check that is installed."""

import click


@click.command("list")
def command() -> None:
    """Show every check: code, name, title, what it needs."""
    from pipedoctor.catalogue import installed

    for check in installed().checks.values():
        needs = ", ".join(kind.section for kind in check.needs)
        click.echo(f"{check.code}  {check.name}  {check.title}  ({needs})")
