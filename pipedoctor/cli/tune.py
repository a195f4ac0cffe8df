"""`pipedoctor tune TARGET`: find DataLoader arguments by measuring."""

from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import INTERRUPTED
from pipedoctor.cli.options import NO_COLOR
from pipedoctor.cli.targeted import lost, order, targeted
from pipedoctor.cli.types import PATH

if TYPE_CHECKING:
    from pipedoctor.tune.tuning import Tuning


@click.command("tune")
@targeted
@click.option("--html", type=PATH, help="Write a page with the map to this file.")
@click.option("--apply", is_flag=True, help="Write the arguments into the code.")
@NO_COLOR
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    html: str | None,
    apply: bool,
    no_redact: bool,
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
    from pipedoctor.cli.bar import bar
    from pipedoctor.cli.privacy import overheard, tuned
    from pipedoctor.tune.html import page
    from pipedoctor.tune.session import Lost, Refused
    from pipedoctor.tune.tuning import tune

    form, output, no_color = (options.pop(n) for n in ("form", "output", "no_color"))
    try:
        with bar(options["budget"]) as tell:
            found = tune(order({**options, "watch": tell}))
    except Refused as reason:
        raise click.UsageError(overheard(reason)) from None
    except Lost as reason:
        lost(context, options["target"], reason)
    said = tuned(found, output, no_redact=no_redact)
    colour = out.colours(output, no_color=no_color)
    out.write(_shown(said, form, output, colour=colour), output)
    if html is not None:
        out.write(page(tuned(found, html, no_redact=no_redact)), html)
    if found.unmeasured and not found.interrupted:
        lost(context, options["target"], found.unmeasured)
    code = INTERRUPTED if found.interrupted else 0
    context.exit(code or (_apply(found) if apply else 0))


def _apply(found: "Tuning") -> int:
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


def _shown(found: "Tuning", form: str, output: str | None, *, colour: bool) -> str:
    from pipedoctor.cli.output import to_stdout, width
    from pipedoctor.tune.json import record
    from pipedoctor.tune.text import render

    if form == "text":
        columns = width() if to_stdout(output) else 100
        return render(found, width=columns, colour=colour)
    import json

    from pipedoctor.legible import throughout

    return json.dumps(throughout(record(found)), indent=1) + "\n"
