"""From a request to a judged fleet, and from it to what is written."""

import time
from collections.abc import Sequence

import click
import msgspec

from pipedoctor.check import Severity
from pipedoctor.cli import formats
from pipedoctor.cli.actions import privacy
from pipedoctor.cli.request.requests_fleet import (
    FleetJudgementRequest,
    FleetRecordRequest,
    FleetShowRequest,
)
from pipedoctor.cli.terminal.fleet_progress import show_progress
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.fleet import golden, redaction
from pipedoctor.fleet.expected import ExpectedNodes, ExpectedNodesError, parse_expected_nodes
from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.ingest import NodeReport, ingest_reports, open_folders
from pipedoctor.fleet.judge import judge_fleet
from pipedoctor.fleet.model import FleetReport

NOTHING_JUDGED = 3


def judge_shown_places(request: FleetShowRequest) -> FleetReport:
    """Read and judge for `fleet show`; raises UsageError for what cannot be read."""
    began = time.monotonic()
    try:
        nodes = parse_expected_nodes(request.expect) if request.expect is not None else None
        record = golden.load_golden_node(request.golden) if request.golden else None
    except ExpectedNodesError as error:
        raise click.UsageError(str(error)) from None
    except golden.RecordError as error:
        message = f"--golden {error}"
        raise click.UsageError(message) from None
    report = judge_places(request.places, nodes, record, began)
    if request.since:
        from pipedoctor.cli.actions import fleet_history

        repeated = fleet_history.find_repeated(request.since, request.history)
        report = msgspec.structs.replace(report, repeated=repeated)
    return redact_fleet(report, request)


def judge_places(
    places: Sequence[str],
    nodes: ExpectedNodes | None,
    record: NodeReport | None,
    began: float,
) -> FleetReport:
    """Judge all reports in these folders; raises UsageError."""
    try:
        with show_progress() as progress:
            ingested = ingest_reports(open_folders(places), progress)
    except FolderError as error:
        raise click.UsageError(str(error)) from None
    reference = golden.build_reference(record, ingested.nodes) if record else None
    return judge_fleet(
        get_catalogue(), ingested, expected_nodes=nodes, reference=reference, began=began
    )


def redact_fleet(report: FleetReport, request: FleetJudgementRequest) -> FleetReport:
    """The report as it may leave this machine."""
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    return redaction.redact_report(report, redactor, nodes=request.redact_nodes)


def render_fleet(
    report: FleetReport, request: FleetJudgementRequest, places: tuple[str, ...], code: int
) -> str | bytes:
    """Write it in the format that is asked for; only this one is loaded."""
    context = formats.RenderContext(
        output=request.output,
        no_color=request.no_color,
        fail_on=request.fail_on,
        exit_code=code,
        places=places,
    )
    return formats.render(formats.Subject.FLEET, request.form, report, context)


def choose_exit_code(report: FleetReport, fail_on: str) -> int:
    """0 fine, 1 something at or above --fail-on, 3 no report could be read."""
    if not report.nodes:
        return NOTHING_JUDGED
    worst = report.get_worst_severity()
    if worst is None or fail_on == "never":
        return 0
    return int(worst >= Severity[fail_on.upper()])


def build_record(request: FleetRecordRequest) -> bytes:
    """The facts of a report as a record; raises UsageError."""
    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    try:
        return golden.build_record(golden.load_report(request.report), request.report, redactor)
    except golden.RecordError as error:
        raise click.UsageError(str(error)) from None
