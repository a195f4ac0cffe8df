"""`fleet run --ray`: the reports of a cluster, and what they say together."""

import time

import click

from pipedoctor.cli import INTERRUPTED_CODE
from pipedoctor.cli.actions import fleet_output
from pipedoctor.cli.request.requests_fleet import FleetRunRequest
from pipedoctor.cli.terminal import output
from pipedoctor.cli.terminal.fleet_progress import show_progress
from pipedoctor.fleet.expected import ExpectedNodes
from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.ingest import parse_node_name
from pipedoctor.fleet.ray_cluster import ClusterOutcome, RayError, examine_cluster
from pipedoctor.fleet.store import check_target, store_report
from pipedoctor.report.sentences import clean_text


def run_fleet(request: FleetRunRequest) -> int:
    """Examine, write, judge and show; how the command exits."""
    outcome = _collect_reports(request)
    for one in outcome.nodes_without_report:
        click.echo(f"{clean_text(one.node)}: {clean_text(one.trouble)}", err=True)
    places, began = (request.fleet_dir,), time.monotonic()
    judged = fleet_output.judge_places(places, _list_expected_nodes(outcome), None, began)
    report = fleet_output.redact_fleet(judged, request)
    code = fleet_output.choose_exit_code(report, request.fail_on)
    written = fleet_output.render_fleet(report, request, places, code)
    output.write_output(written, request.output)
    return INTERRUPTED_CODE if outcome.interrupted else code


def _collect_reports(request: FleetRunRequest) -> ClusterOutcome:
    """Examine the cluster and write what its nodes answered; raises UsageError."""
    try:
        check_target(request.fleet_dir)
        with show_progress("nodes") as progress:
            outcome = examine_cluster(
                request.address,
                _list_check_options(request),
                deadline=request.deadline,
                progress=progress,
            )
        for one in outcome.answers:
            if one.file:
                store_report(request.fleet_dir, one.file, one.data)
    except FolderError as error:
        message = f"--fleet-dir {error}"
        raise click.UsageError(message) from None
    except RayError as error:
        message = f"--ray {error}"
        raise click.UsageError(message) from None
    return outcome


def _list_check_options(request: FleetRunRequest) -> list[str]:
    """What `check` gets on each node."""
    flags = {
        "--quick": request.quick,
        "--probe": request.probe,
        "--no-redact": request.no_redact,
    }
    options = [flag for flag, is_set in flags.items() if is_set]
    return [*options, *(f"--data={path}" for path in request.data)]


def _list_expected_nodes(outcome: ClusterOutcome) -> ExpectedNodes:
    """Those that reported, as they call themselves, and those that did not."""
    names = [parse_node_name(one.file) if one.file else one.node for one in outcome.answers]
    return ExpectedNodes(len(names), tuple(dict.fromkeys(names)))
