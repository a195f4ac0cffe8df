"""`pipedoctor tune TARGET`: find DataLoader arguments by measuring."""

from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli import INTERRUPTED_CODE
from pipedoctor.cli.actions.quiet import wait_as_asked
from pipedoctor.cli.actions.target_options import (
    add_target_options,
    build_order,
    exit_unmeasured,
)
from pipedoctor.cli.request.option_types import PATH
from pipedoctor.cli.request.options import NO_COLOR_OPTION

if TYPE_CHECKING:
    from pipedoctor.cli.request.requests import TuneRequest
    from pipedoctor.tune.search.tuning import Tuning


@click.command("tune")
@add_target_options
@click.option("--html", type=PATH, help="Write an HTML page with the heatmap to this file.")
@click.option("--apply", is_flag=True, help="Edit the code to use these arguments: asks first.")
@click.option("-y", "--yes", is_flag=True, help="With --apply: do not ask.")
@NO_COLOR_OPTION
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """
    Find the DataLoader arguments for TARGET: file.py:callable or module:callable.

    The callable returns a Dataset or a DataLoader. It is run in separate
    processes, which are ended together with all processes they started. Several
    settings are measured, all others predicted; only a setting that was measured to
    be faster is recommended.

    Exit codes: 0 done, 2 wrong usage or unreadable target, 3 could not measure.
    """
    from pipedoctor.cli.actions.privacy import redact_message, redact_tuning
    from pipedoctor.cli.actions.program_paths import refuse_dead_paths
    from pipedoctor.cli.request.requests import TuneRequest
    from pipedoctor.cli.terminal import output
    from pipedoctor.cli.terminal.progress_bar import show_bar
    from pipedoctor.tune.output.html import render_page
    from pipedoctor.tune.search.session import TargetLostError, TargetRefusedError
    from pipedoctor.tune.search.tuning import tune

    request = TuneRequest(**parameters)
    refuse_dead_paths(context, target=request.target)
    wait_as_asked(context)
    try:
        with show_bar(request.budget) as tell:
            found = tune(build_order(request, tell))
    except TargetRefusedError as reason:
        raise click.UsageError(redact_message(reason)) from None
    except TargetLostError as reason:
        exit_unmeasured(context, request.target, reason)
    public = redact_tuning(found, request.output, no_redact=request.no_redact)
    output.write_output(_render_tuning(public, request), request.output)
    if request.html is not None:
        page = render_page(redact_tuning(found, request.html, no_redact=request.no_redact))
        output.write_output(page, request.html)
    if found.undecided_reason and not found.interrupted:
        exit_unmeasured(context, request.target, found.undecided_reason)
    code = INTERRUPTED_CODE if found.interrupted else 0
    context.exit(code or (_apply_tuning(found, yes=request.yes) if request.apply else 0))


def _apply_tuning(tuning: "Tuning", *, yes: bool) -> int:
    """Edit the call that made the loader, by the means of `fix`; its exit code."""
    from pipedoctor.collect.plan import CollectionRequest
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.fix.code.apply_tuning import apply_tuning
    from pipedoctor.fix.console.console import Console
    from pipedoctor.fix.plan.plan import FixRefusedError
    from pipedoctor.fix.request.named_checks import Examination

    def echo(text: str, **_: Any) -> None:
        click.echo(text, err=True)

    console = Console(echo, lambda question: click.confirm(question, err=True), yes=yes)
    examination = Examination(catalogue=get_catalogue(), inquiry=CollectionRequest(quick=True))
    try:
        return apply_tuning(tuning, console, examination)
    except FixRefusedError as why:
        return console.report_refusal(why)


def _render_tuning(tuning: "Tuning", request: "TuneRequest") -> str:
    from pipedoctor.cli.terminal.output import get_width, has_colors, is_stdout
    from pipedoctor.tune.output.json import build_record
    from pipedoctor.tune.output.text import render

    if request.form == "text":
        columns = get_width() if is_stdout(request.output) else 100
        color = has_colors(request.output, no_color=request.no_color)
        return render(tuning, width=columns, color=color)
    import json

    from pipedoctor.textsafe import map_strings

    return json.dumps(map_strings(build_record(tuning)), indent=1) + "\n"
