"""`pipedoctor tune TARGET`: find DataLoader arguments by measuring."""

from typing import Any

import click

from pipedoctor.cli.targeted import (
    FAILED,
    INTERRUPTED,
    Progress,
    lost,
    order,
    targeted,
)
from pipedoctor.cli.types import PATH


@click.command("tune")
@targeted
@click.option("--html", type=PATH, help="Write a page with the map to this file.")
@click.option("--apply", is_flag=True, help="Write the arguments into the code.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    form: str,
    output: str | None,
    html: str | None,
    apply: bool,
    **options: Any,
) -> None:
    """
    Find the DataLoader arguments for TARGET: file.py:callable or module:callable.

    The callable returns a Dataset or a DataLoader. It is run, in processes of its
    own that are ended with everything they started. Several settings are measured,
    all others predicted; none is recommended that was not measured to be faster.

    Exit codes: 0 done, 2 wrong usage or unreadable target, 3 could not measure.
    """
    from pipedoctor.cli import output as out
    from pipedoctor.cli.privacy import overheard
    from pipedoctor.tune.html import page
    from pipedoctor.tune.session import Lost, Refused
    from pipedoctor.tune.tuning import tune

    progress = Progress(options["budget"])
    wanted = order({**options, "watch": progress})
    try:
        found = tune(wanted)
    except Refused as reason:
        progress.end()
        raise click.UsageError(overheard(reason)) from None
    except Lost as reason:
        progress.end()
        lost(context, wanted.target, reason)
        return
    progress.end()
    out.write(_shown(found, form, output), output)
    if html is not None:
        out.write(page(found), html)
    if found.unmeasured and not found.interrupted:
        lost(context, wanted.target, found.unmeasured)
    code = INTERRUPTED if found.interrupted else 0
    context.exit(code or (_apply(found) if apply else 0))


def _apply(found: Any) -> int:
    """Edit the call that made the loader, by the means of `fix`; its exit code."""
    from pipedoctor.catalogue import installed
    from pipedoctor.collect.plan import Inquiry
    from pipedoctor.fix.counter import Counter
    from pipedoctor.fix.named import Examination
    from pipedoctor.fix.plan import Refused
    from pipedoctor.tune.apply import applied

    def echo(text: str, **_: Any) -> None:
        click.echo(text, err=True)

    counter = Counter(echo, lambda _: True, yes=True)
    examination = Examination(catalogue=installed(), inquiry=Inquiry(quick=True))
    try:
        return applied(found, counter, examination)
    except Refused as why:
        return counter.refuse(why)


def _shown(found: Any, form: str, output: str | None) -> str:
    from pipedoctor.cli.output import width
    from pipedoctor.tune.json import record
    from pipedoctor.tune.text import render

    if form == "text":
        return render(found, width=width() if output is None else 100)
    import json

    from pipedoctor.legible import throughout

    return json.dumps(throughout(record(found)), indent=1) + "\n"


__all__ = ["FAILED", "INTERRUPTED", "command"]
