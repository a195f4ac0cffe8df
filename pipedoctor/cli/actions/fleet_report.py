"""`check --fleet-dir`: this node's report, into the folder where all of them lie."""

import contextlib
import datetime as dt
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pipedoctor.cli import INTERRUPTED_CODE
from pipedoctor.cli.actions import check_output
from pipedoctor.cli.request.requests import CheckRequest
from pipedoctor.cli.terminal import output
from pipedoctor.facts import Fact, Node
from pipedoctor.fleet.folder import FolderError
from pipedoctor.fleet.local_rank import elect_process
from pipedoctor.fleet.node_name import build_file_name, get_this_node
from pipedoctor.fleet.store import check_target, make_absolute, store_report
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.cli.request.check_options import CheckOptions
    from pipedoctor.report.model import Report


def write_node_report(request: CheckRequest, began: float) -> int:
    """
    Examine this node and write its report; how the command exits.

    The deadline counts from `began`, on the monotonic clock.

    0 once it is written, or where another rank of the node writes it; severities
    count only with --fail-on, for a prolog that fails drains its node.
    """
    place = request.fleet_dir
    if place is None:
        message = "--probe requires --fleet-dir"
        raise click.UsageError(message)
    _reject_other_modes(request)
    try:
        with contextlib.ExitStack() as stack:
            with files.answer_by(began + request.configurable.options.deadline):
                check_target(place)
                node = get_this_node()
                election = elect_process(os.environ, make_absolute(place), node.name)
                mine = stack.enter_context(election)
            return _examine_and_store(place, node, request, began) if mine else 0
    except FolderError as error:
        message = f"--fleet-dir {error}"
        raise click.UsageError(message) from None


def _reject_other_modes(request: CheckRequest) -> None:
    others = {"--from": request.record, "--write-baseline": request.write_baseline}
    for option, value in others.items():
        if value:
            message = (
                f"--fleet-dir writes the report of this node: it cannot be combined with {option}"
            )
            raise click.UsageError(message)


def _examine_and_store(place: str, node: Node, request: CheckRequest, began: float) -> int:
    from pipedoctor.privacy.redactor import RedactionLevel, Redactor
    from pipedoctor.report import json

    def collect_more() -> Sequence[Fact]:
        return (node, *_probe_node(request))

    written = request.configurable
    level = RedactionLevel.NOTHING if written.options.no_redact else RedactionLevel.ALL
    redactor = Redactor(level, keeps_node=True)
    report, options, stopped = check_output.run_check(request, redactor, collect_more, began=began)
    moment = dt.datetime.now(tz=dt.timezone.utc)
    store_report(place, build_file_name(node.name, moment), json.render(report))
    _print_if_requested(report, options, request)
    if stopped:
        return INTERRUPTED_CODE
    return check_output.choose_exit_code(report, options) if "fail_on" in written.names else 0


def _print_if_requested(report: "Report", options: "CheckOptions", request: CheckRequest) -> None:
    """Print it only where that was asked for: a thousand nodes write to one log."""
    target = request.output
    if target is not None or "format" in request.configurable.names:
        output.write_output(check_output.render_report(report, options, target), target)
    check_output.report_broken_packs(report)


def _probe_node(request: CheckRequest) -> Sequence[Fact]:
    if not request.probe:
        return ()
    from pipedoctor.collect.environment.prefix import EnvironmentChoice, find_prefix
    from pipedoctor.collect.machine import Machine
    from pipedoctor.fleet.probe import probe_node

    machine = Machine()
    written = request.configurable.options
    chosen = EnvironmentChoice(python=written.python or "", env=written.env or "")
    executable = files.run_with_timeout(
        "the Python environment",
        lambda _: str(find_prefix(chosen, machine.environ).executable),
    )
    return (probe_node(executable, machine),)
