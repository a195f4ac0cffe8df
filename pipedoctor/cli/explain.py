"""`pipedoctor explain`: from an error log to the cause; or the page of a check."""

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from pipedoctor.cli.formats import Subject, list_formats
from pipedoctor.cli.request.job_options import add_job_options
from pipedoctor.cli.request.option_types import SECONDS
from pipedoctor.cli.request.options import (
    NO_COLOR_OPTION,
    NO_REDACT_OPTION,
    OUTPUT_OPTION,
    format_option,
)

if TYPE_CHECKING:
    from pipedoctor.cli.request.job_request import JobRequest
    from pipedoctor.cli.request.requests import ExplainRequest
    from pipedoctor.explanation.explain import FactsLookup
    from pipedoctor.explanation.model import Explanation
    from pipedoctor.facts import Facts
    from pipedoctor.facts.log import Log
    from pipedoctor.log.signatures import SignatureCatalogue

_CAUSE_FOUND_CODE, _NOTHING_JUDGED_CODE = 1, 3
_READ_SHARE = 0.6
"""Of the deadline, at most for reading; a pipe may take longer."""
_LEAST_LOOK_SECONDS, _PRINTING_SECONDS = 0.3, 0.3


@click.command("explain")
@click.argument("target", metavar="[LOG|-|NAME]", required=False)
@click.option(
    "--from",
    "record",
    metavar="FILE",
    help="Check the causes on the machine of this JSON report, not on this one.",
)
@click.option(
    "--deadline",
    type=SECONDS,
    help="Time limit for the whole command, in seconds; waiting for a pipe counts only if"
    " this is given.  [default: 15]",
)
@click.option("--all-places", is_flag=True, help="Also show remedies for other places.")
@add_job_options(pid=True)
@format_option(list_formats(Subject.EXPLANATION))
@OUTPUT_OPTION
@NO_REDACT_OPTION
@NO_COLOR_OPTION
@click.pass_context
def command(context: click.Context, /, **parameters: Any) -> None:
    """Name the cause in an error log, or show the page of a check."""
    from pipedoctor.cli.actions import log_input
    from pipedoctor.cli.request.requests import ExplainRequest
    from pipedoctor.explanation.signature_catalogue import load_signatures

    request = ExplainRequest(**parameters)
    target = request.target
    if target is None and sys.stdin.isatty():
        message = "expected a log file, - for stdin, or the name of a check"
        raise click.UsageError(message)
    began, signatures = time.monotonic(), load_signatures()
    if target in {None, "-"}:
        log = log_input.read_stdin_log(signatures, request.deadline)
        context.exit(_explain_log(log, "-", request, signatures, began))
    assert target is not None  # noqa: S101  (see above)
    found = log_input.read_log_file(target, signatures, request.deadline)
    if found is not None:
        from pipedoctor.cli.request.file_kind import refuse_unless

        refuse_unless(target, "log")
        context.exit(_explain_log(found, target, request, signatures, began))
    _show_page(target, request)


def _explain_log(
    log: "Log",
    source: str,
    request: "ExplainRequest",
    signatures: "SignatureCatalogue",
    began: float,
) -> int:
    """Explain a log; 1: a cause was found, 0: none that is ours, 3: nobody can say."""
    from pipedoctor.cli.actions import privacy
    from pipedoctor.cli.terminal import output
    from pipedoctor.explanation.explain import explain_log
    from pipedoctor.report.sentences import clean_text

    redactor = privacy.make_redactor(request.output, no_redact=request.no_redact)
    record = request.record
    if record is None:
        facts = _look_here(request, began)
    else:
        facts = _load_record_facts(record, request.job)
    until = time.monotonic() + _find_time_left(request, began)
    explanation = explain_log(
        log, signatures, source=source, redactor=redactor, facts=facts, until=until
    )
    for one in explanation.left_out:
        message = clean_text(f"pipedoctor: skipped: {one.name}: {one.reason}")
        click.echo(message, err=True)
    for what in explanation.unread:
        click.echo(clean_text(f"pipedoctor: not read: {what}"), err=True)
    output.write_output(_render_explanation(explanation, request), request.output)
    if explanation.causes:
        return _CAUSE_FOUND_CODE
    return 0 if explanation.lines and not explanation.unread else _NOTHING_JUDGED_CODE


def _look_here(request: "ExplainRequest", began: float) -> "FactsLookup":
    """Look at this machine, in what is left of the deadline."""
    from pipedoctor.explanation import local_facts

    def look(sections: frozenset[str]) -> "Facts":
        seconds = min(local_facts.DEADLINE, _find_time_left(request, began))
        return local_facts.collect_sections(sections, deadline=seconds, inquiry=inquiry)

    inquiry = request.job.build_inquiry() if request.job.is_known else None
    return look


def _find_time_left(request: "ExplainRequest", began: float) -> float:
    """Seconds of the deadline that are left for looking and redacting."""
    from pipedoctor.cli.actions.log_input import DEFAULT_DEADLINE

    seconds = request.deadline or DEFAULT_DEADLINE
    spent = time.monotonic() - began if request.deadline else seconds * _READ_SHARE
    return max(_LEAST_LOOK_SECONDS, seconds - spent - _PRINTING_SECONDS)


def _load_record_facts(record: str, job: "JobRequest") -> Any:
    """The facts of a report and of the job, whatever is asked for; raises UsageError."""
    from pipedoctor.cli.request import check_request
    from pipedoctor.facts import MalformedRecordError
    from pipedoctor.pipeline import merge_job
    from pipedoctor.report.json import read_report

    others = {"--pid": job.pid, "--data": job.data, "--python": job.python, "--env": job.env}
    try:
        facts, _ = read_report(check_request.read_record(record, others))
    except MalformedRecordError as error:
        message = f"--from {record}: {error}"
        raise click.UsageError(message) from None

    facts = facts if job.loader is None else merge_job(facts, job.loader)

    def get_record_facts(_wanted: object) -> "Facts":
        return facts

    return get_record_facts


def _render_explanation(explanation: "Explanation", request: "ExplainRequest") -> str | bytes:
    from pipedoctor.cli import formats

    context = formats.RenderContext(
        output=request.output, no_color=request.no_color, all_places=request.all_places
    )
    return formats.render(formats.Subject.EXPLANATION, request.form, explanation, context)


def _show_page(name: str, request: "ExplainRequest") -> None:
    from pipedoctor.check.page import render_page
    from pipedoctor.cli.terminal import output
    from pipedoctor.engine.catalogue import get_catalogue
    from pipedoctor.engine.selection import suggest_check

    catalogue = get_catalogue()
    check = catalogue.find_check(name)
    if check is None:
        close = suggest_check(catalogue, name)
        message = f"{name}: neither a file nor the name or code of a check{close}"
        raise click.UsageError(message)
    page = render_page(check)
    written = _render_page_json(check, page) if request.form == "json" else page
    output.write_output(written, request.output)


def _render_page_json(check: Any, markdown: str) -> bytes:
    from pipedoctor.cli.list import describe_check
    from pipedoctor.textsafe import encode_indented_json

    whole = {"schema": "pipedoctor.page/1", **describe_check(check), "page": markdown}
    return encode_indented_json(whole)
