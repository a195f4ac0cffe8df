"""`pipedoctor fix`: apply remedies with a plan, consent, proof and undo."""

import click


@click.command("fix")
def command() -> None:
    """Apply remedies: shows the plan, asks, proves, can take it back."""
    message = "not built yet"
    raise click.ClickException(message)
