"""`pipedoctor fleet`: compare the reports of many nodes."""

from typing import Any

import click

from pipedoctor.cli.check import FAIL_ON
from pipedoctor.cli.formats import Subject, list_formats
from pipedoctor.cli.request.option_types import PATH, SECONDS
from pipedoctor.cli.request.options import (
    NO_COLOR_OPTION,
    NO_REDACT_OPTION,
    OUTPUT_OPTION,
    format_option,
)

HISTORY_OPTION = click.option(
    "--history",
    type=PATH,
    metavar="FILE",
    help="The history, a DuckDB file.  [default: fleet.duckdb in the state folder]",
)


@click.group("fleet")
def command() -> None:
    """Compare the reports of many nodes: find outliers, how they differ, and what to drain."""


@command.command("show")
@click.argument("places", nargs=-1, required=True, type=PATH, metavar="FOLDER|URL...")
@click.option(
    "--expect",
    metavar="HOSTLIST|FILE|N",
    help="Nodes expected to report: h100-[001-500], a file of names, or their number.",
)
@click.option(
    "--golden",
    type=PATH,
    metavar="FILE",
    help="Compare with this reference (from `fleet record`) instead of the majority.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="breaks",
    help="Exit with 1 at this severity or above.  [default: breaks]",
)
@click.option(
    "--since",
    metavar="WHEN",
    help="Also list nodes that were outliers repeatedly since then, from the history:"
    " 2026-11-20, `30 days ago`.",
)
@HISTORY_OPTION
@format_option(list_formats(Subject.FLEET))
@OUTPUT_OPTION
@NO_REDACT_OPTION
@click.option("--redact-nodes", is_flag=True, help="Also replace the names of nodes.")
@NO_COLOR_OPTION
@click.pass_context
def show(context: click.Context, /, **parameters: Any) -> None:
    """
    Judge every report in these folders.

    Nodes with the same model of GPU are compared with each other. The formats slurm,
    kubectl and ansible print commands to paste; nothing is executed.
    """
    from pipedoctor.cli.actions import fleet_output
    from pipedoctor.cli.request.requests_fleet import FleetShowRequest
    from pipedoctor.cli.terminal import output

    request = FleetShowRequest(**parameters)
    report = fleet_output.judge_shown_places(request)
    code = fleet_output.choose_exit_code(report, request.fail_on)
    written = fleet_output.render_fleet(report, request, request.places, code)
    output.write_output(written, request.output)
    context.exit(code)


@command.command("record", short_help="Save a healthy node as the reference for `show --golden`.")
@click.argument("report", type=PATH)
@click.option(
    "-o",
    "--output",
    required=True,
    type=PATH,
    metavar="FILE",
    help="Write the reference to this file.",
)
@NO_REDACT_OPTION
def record(**parameters: Any) -> None:
    """Save the facts of a healthy node as the reference for `fleet show --golden`."""
    from pipedoctor.cli.actions import fleet_output
    from pipedoctor.cli.request.requests_fleet import FleetRecordRequest
    from pipedoctor.cli.terminal import output

    request = FleetRecordRequest(**parameters)
    output.write_output(fleet_output.build_record(request), request.output)


@command.command("run", short_help="Examine every node of a Ray cluster, then judge them.")
@click.option(
    "--ray",
    "address",
    required=True,
    metavar="ADDRESS",
    help="Head of a running Ray cluster: auto, HOST:PORT or ray://HOST:PORT.",
)
@click.option(
    "--fleet-dir",
    required=True,
    type=PATH,
    metavar="FOLDER|URL",
    help="Write the reports to this folder.",
)
@click.option(
    "--deadline",
    type=SECONDS,
    default=60.0,
    show_default=True,
    help="Time limit for all nodes together, in seconds.",
)
@click.option("--data", multiple=True, type=PATH, metavar="DIR", help="Path to the dataset.")
@click.option("--quick", is_flag=True, help="Skip the import of torch and the disk probe.")
@click.option(
    "--probe",
    is_flag=True,
    help="Also measure decoding, memory and copies to the GPU, for a few seconds.",
)
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default="breaks",
    help="Exit with 1 at this severity or above.  [default: breaks]",
)
@format_option(list_formats(Subject.FLEET))
@OUTPUT_OPTION
@NO_REDACT_OPTION
@click.option("--redact-nodes", is_flag=True, help="Also replace the names of nodes.")
@NO_COLOR_OPTION
@click.pass_context
def run(context: click.Context, /, **parameters: Any) -> None:
    """
    Examine every node of a Ray cluster, then judge them as `fleet show` does.

    Nodes that do not answer count as missing.
    """
    from pipedoctor.cli.actions import fleet_run
    from pipedoctor.cli.request.requests_fleet import FleetRunRequest

    context.exit(fleet_run.run_fleet(FleetRunRequest(**parameters)))


@command.command("keep")
@click.argument("places", nargs=-1, required=True, type=PATH, metavar="FOLDER|URL...")
@HISTORY_OPTION
def keep(**parameters: Any) -> None:
    """Append the reports in these folders to the history of the fleet."""
    from pipedoctor.cli.actions import fleet_history
    from pipedoctor.cli.request.requests_fleet import FleetKeepRequest

    fleet_history.append_run(FleetKeepRequest(**parameters))


@command.command("diff", short_help="Compare two states of a fleet.")
@click.argument("before", type=PATH, metavar="A")
@click.argument("after", type=PATH, metavar="B")
@format_option(list_formats(Subject.FLEET_CHANGE))
@OUTPUT_OPTION
@NO_REDACT_OPTION
@NO_COLOR_OPTION
@click.pass_context
def diff(context: click.Context, /, **parameters: Any) -> None:
    """
    Compare two states of a fleet, such as before and after an upgrade.

    A and B are folders or URLs with the reports of each state.
    """
    from pipedoctor.cli.actions import fleet_history
    from pipedoctor.cli.request.requests_fleet import FleetDiffRequest

    context.exit(fleet_history.diff_fleets(FleetDiffRequest(**parameters)))


@command.command("query", short_help="Query the history in SQL.")
@click.argument("sql")
@HISTORY_OPTION
@format_option(list_formats(Subject.HISTORY_ROWS))
@OUTPUT_OPTION
def query(**parameters: Any) -> None:
    """Query the history in SQL; its tables: runs, nodes, outliers, findings and rates."""
    from pipedoctor.cli.actions import fleet_history
    from pipedoctor.cli.request.requests_fleet import FleetQueryRequest

    fleet_history.query_history(FleetQueryRequest(**parameters))
