"""What `pipedoctor report` does: write an attachment, list them, read them back."""

import math
from typing import TYPE_CHECKING

import click

from pipedoctor.cli import INTERRUPTED_CODE, formats
from pipedoctor.cli.actions import kept_reports, output_file
from pipedoctor.cli.formats import DEFAULT_ATTACHMENT
from pipedoctor.cli.request.requests import ReportRequest
from pipedoctor.cli.terminal import output
from pipedoctor.facts import MalformedRecordError, UnreadableError
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.report.model import Report


def run_report(request: ReportRequest, began: float) -> int:
    """Run `report` with these options; the exit code. The deadline counts from `began`."""
    _refuse_two_actions(request)
    _refuse_copy_to_file(request)
    if request.issue_template:
        from pipedoctor.report import issue_form

        output.write_output(issue_form.ISSUE_FORM, request.output)
    elif request.history:
        kept_reports.list_reports(request.form)
    elif request.unredact:
        _unredact(request, request.unredact)
    else:
        return _create_attachment(request, began)
    return 0


def _refuse_two_actions(request: ReportRequest) -> None:
    actions = {
        "--copy": request.copy,
        "--history": request.history,
        "--unredact": request.unredact,
        "--issue-template": request.issue_template,
    }
    wanted = [option for option, value in actions.items() if value]
    if len(wanted) > 1:
        message = f"{wanted[0]} and {wanted[1]} cannot be combined"
        raise click.UsageError(message)


def _refuse_copy_to_file(request: ReportRequest) -> None:
    file = "-o" if request.output else "--all" if request.everything else ""
    if request.copy and file:
        message = f"--copy prints and {file} writes a file: they cannot be combined"
        raise click.UsageError(message)


def _create_attachment(request: ReportRequest, began: float) -> int:
    form = output_file.choose_format(request)
    examination = request.examination
    until = began + examination.configurable.options.deadline
    with files.answer_by(math.inf if examination.measure else until):
        if not request.copy:
            output_file.refuse_overwrite(request)
        report, json, trouble, stopped = _examine(request, began)
        _write_attachment(request, report, form)
        _keep_report(request, report, json, trouble)
    return INTERRUPTED_CODE if stopped else 0


def _write_attachment(request: ReportRequest, report: "Report", form: str) -> None:
    """Write the file, or print where --copy asks for it."""
    redacted = not request.no_redact
    if request.copy:
        data = _render_attachment(report, DEFAULT_ATTACHMENT, redacted=redacted)
        output.write_output(data, None)
    else:
        data = _render_attachment(report, form, redacted=redacted)
        name = output_file.write_attachment(request, data, form)
        if name:
            _print_name(name)
        _print_summary(report, redacted=redacted)


def _keep_report(request: ReportRequest, report: "Report", json: bytes, trouble: str) -> None:
    """Keep a copy, or say on stderr why not."""
    keeps = not (request.no_redact or request.no_keep or request.examination.record)
    if trouble:
        kept_reports.report_not_kept(trouble, keeps=keeps)
    elif keeps:
        kept_reports.keep_report(report, json)


def _print_name(name: str) -> None:
    """Byte by byte for a script, harmless for a terminal."""
    from pipedoctor.report.sentences import clean_text

    shown = clean_text(name) if output.is_terminal(None) else name
    output.write_output(f"{shown}\n".encode(errors="surrogateescape"), None)


def _examine(request: ReportRequest, began: float) -> tuple["Report", bytes, str, bool]:
    """
    The report, its JSON, and why the book of aliases could not be used, if so.

    Whether Ctrl-C has ended the measuring comes last.
    """
    from pipedoctor.cli.actions import check_output
    from pipedoctor.privacy.alias_book import AliasStore
    from pipedoctor.privacy.redactor import RedactionLevel, Redactor
    from pipedoctor.report import json

    book = None
    if request.no_redact:
        redactor = Redactor(RedactionLevel.NOTHING)
    else:
        # Aliases in a record of another machine are those of another book.
        book = None if request.examination.record else AliasStore()
        redactor = Redactor(RedactionLevel.PUBLIC, memory=book)
    report, _, stopped = check_output.run_check(request.examination, redactor, began=began)
    check_output.report_broken_packs(report)
    return report, json.render(report), book.failure_reason if book else "", stopped


def _render_attachment(report: "Report", form: str, *, redacted: bool) -> str | bytes:
    context = formats.RenderContext(redacted=redacted)
    return formats.render(formats.Subject.ATTACHMENT, form, report, context)


def _print_summary(report: "Report", *, redacted: bool) -> None:
    """What was found, and what is still to do, for whoever watches."""
    from pipedoctor.report import sentences

    verdict = sentences.describe_verdict(report)
    advice = "names and secrets are replaced" if redacted else "NOTHING is replaced"
    click.echo(
        f"{verdict[:1].upper()}{verdict[1:]}. Review it before you attach it: {advice}.",
        err=True,
    )


def _unredact(request: ReportRequest, source: str) -> None:
    """Put names back into a file that this machine redacted; raises UsageError."""
    from pipedoctor.privacy import alias_book
    from pipedoctor.report import bundle
    from pipedoctor.report.json import MAX_REPORT_BYTES, decode_report

    try:
        data = files.load_file(source, MAX_REPORT_BYTES + 1)
        if len(data) > MAX_REPORT_BYTES:
            message = f"larger than {MAX_REPORT_BYTES >> 20} MiB"
            raise MalformedRecordError(message)  # noqa: TRY301  (said like the others)
        if data.startswith(bundle.ZIP_MAGIC):
            inside = bundle.unpack_bundle(data).items()
            real = bundle.rebuild_bundle(
                {name: alias_book.restore_names(file) for name, file in inside}
            )
        else:
            real = alias_book.restore_names(decode_report(data))
    except (UnreadableError, MalformedRecordError) as error:
        message = f"--unredact {source}: {error}"
        raise click.UsageError(message) from None
    if real == data:
        click.echo("pipedoctor: it contains no alias of this machine", err=True)
    output_file.refuse_overwrite(request)
    if data.startswith(bundle.ZIP_MAGIC) and output.is_terminal(request.output):
        message = f"--unredact {source}: a .zip cannot be written to a terminal: give -o FILE"
        raise click.UsageError(message)
    output.write_output(real, request.output)
