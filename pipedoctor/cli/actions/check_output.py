"""From what was typed to a report, and from a report to what is written."""

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import click
import msgspec

from pipedoctor.cli import formats
from pipedoctor.cli.actions import measure_target
from pipedoctor.cli.request import check_request, stdin
from pipedoctor.cli.request.check_options import CheckOptions
from pipedoctor.cli.request.config import Config, load_config
from pipedoctor.cli.request.config_files import ConfigError
from pipedoctor.cli.request.identities import collect_identities
from pipedoctor.cli.request.job_arguments import format_job_arguments
from pipedoctor.cli.request.requests import CheckRequest
from pipedoctor.cli.terminal.progress import show_progress
from pipedoctor.collect.plan import CollectionRequest, collect_facts
from pipedoctor.engine.selection import UnknownNameError
from pipedoctor.facts import MalformedRecordError, Pipeline
from pipedoctor.runtime import files

if TYPE_CHECKING:
    from pipedoctor.cli.actions.standards import FactsJudge
    from pipedoctor.engine.catalogue import Catalogue
    from pipedoctor.facts import Fact
    from pipedoctor.privacy.redactor import Redactor
    from pipedoctor.report.edit_diff import EditDiffs
    from pipedoctor.report.model import Report
    from pipedoctor.report.source_frame import SourceFrames

NOTHING_JUDGED_CODE = 3
JUDGING_SECONDS = 1.0
"""Seconds of the deadline kept back for judging and printing."""
PRINTING_SECONDS = 0.3
"""Seconds of these for printing alone."""
_MIN_EXAMINATION_SECONDS = 1.0
"""Seconds that the examination itself has at least."""


def run_check(
    request: CheckRequest,
    redactor: "Redactor | None" = None,
    collect_more: Callable[[], "Sequence[Fact]"] = tuple,
    *,
    began: float | None = None,
) -> "tuple[Report, CheckOptions, bool]":
    """
    Do what was typed; raises UsageError for what cannot be meant or read.

    Without a `redactor` it depends on who reads: a terminal or a file. `collect_more`
    gives facts that are judged with those collected here. The last of what it gives
    says whether Ctrl-C has ended the measuring. The deadline counts from `began`.
    """
    began = time.monotonic() if began is None else began
    request = stdin.read_stdin_code(request, is_record=bool(request.record))
    measure_target.validate_options(request)
    stopped = False

    @cache
    def load_catalogue() -> "Catalogue":
        from pipedoctor.engine.catalogue import get_catalogue

        return get_catalogue()

    try:
        with files.answer_by(began + request.configurable.options.deadline):
            config = _load_config(request, load_catalogue)

        def prepare() -> "FactsJudge":
            from pipedoctor.cli.actions.standards import build_judge

            return build_judge(request, config, load_catalogue(), redactor)

        with files.answer_by(began + config.options.deadline):
            if request.record:
                until = began + config.options.deadline - PRINTING_SECONDS
                report = _check_record(request, request.record, prepare(), until)
            else:
                report, stopped = _check_machine(request, config, prepare, began, collect_more)
    except (ConfigError, UnknownNameError) as error:
        raise click.UsageError(str(error)) from None
    except MalformedRecordError as error:
        raise click.UsageError(_describe_malformed(request.record or "-", error)) from None
    return report, config.options, stopped


def _describe_malformed(source: str, error: MalformedRecordError) -> str:
    """Why a record cannot be read, and what it is instead, where that is known."""
    from pipedoctor.cli.request.file_kind import describe_other_kind

    hint = describe_other_kind(source, "report", "environment")
    return f"--from {source}: {error}{hint}"


def render_report(
    report: "Report",
    options: CheckOptions,
    target: str | None,
    *,
    statistics: bool = False,
    read_frames: "Callable[[], SourceFrames]" = dict,
    read_diffs: "Callable[[], EditDiffs]" = dict,
) -> str | bytes:
    """Write the report in the format that is asked for; only this one is loaded."""
    context = formats.RenderContext(
        output=target,
        no_color=options.no_color,
        detail="brief" if options.quiet else "full" if options.verbose else "normal",
        fail_on=options.fail_on,
        exit_code=choose_exit_code(report, options),
        statistics=statistics,
        read_frames=read_frames,
        read_diffs=read_diffs,
    )
    return formats.render(formats.Subject.REPORT, options.format, report, context)


def render_request(report: "Report", options: CheckOptions, request: CheckRequest) -> str | bytes:
    """Write what `check` was asked for, with lines of the code that was read."""
    from pipedoctor.cli.actions import privacy
    from pipedoctor.cli.terminal.source_frames import CodeQuoter
    from pipedoctor.privacy.redactor import RedactionLevel

    @cache
    def quoter() -> CodeQuoter:
        redactor = privacy.make_redactor(request.output, no_redact=options.no_redact)
        level = privacy.choose_level(request.output, no_redact=options.no_redact)
        masked = level is RedactionLevel.ALL
        return CodeQuoter(request.paths, redactor.redact_text, masked=masked)

    return render_report(
        report,
        options,
        request.output,
        statistics=request.statistics,
        read_frames=lambda: {} if request.record else quoter().read_frames(report),
        read_diffs=lambda: {} if request.record else quoter().read_diffs(report),
    )


def refuse_mixed_options(request: CheckRequest) -> None:
    """Refuse options that say nothing together; raises UsageError."""
    written = request.configurable
    form = written.options.format if "format" in written.names else "text"
    if request.statistics and form != "text":
        message = f"--statistics counts findings as text: it cannot be combined with {form}"
        raise click.UsageError(message)
    if request.fix and (request.record or request.fleet_dir or "-" in request.paths):
        message = (
            "--fix cannot be combined with --from, --fleet-dir or stdin: it changes this machine"
        )
        raise click.UsageError(message)
    if request.yes and not request.fix:
        message = "--yes requires --fix"
        raise click.UsageError(message)


def report_broken_packs(report: "Report") -> None:
    """Say on stderr which packs of checks could not be loaded, one line each."""
    from pipedoctor.report.sentences import clean_text

    for pack in report.broken:
        click.echo(
            f"pipedoctor: pack {clean_text(pack.pack)}: {clean_text(pack.reason)}",
            err=True,
        )


def choose_exit_code(report: "Report", options: CheckOptions, *, measured: bool = False) -> int:
    """
    0 fine, 1 something at or above --fail-on, 3 nothing could be judged.

    Also 3 where a loader was to be `measured` and could not be, unless 1 says more.
    """
    code = _choose_finding_code(report, options)
    failed = measured and Pipeline.section not in report.facts.known
    return NOTHING_JUDGED_CODE if failed and not code else code


def _choose_finding_code(report: "Report", options: CheckOptions) -> int:
    if report.has_nothing_to_judge:
        return 0
    if not report.has_verdicts:
        return NOTHING_JUDGED_CODE
    worst = report.worst_severity()
    if worst is None or options.fail_on == "never":
        return 0
    from pipedoctor.check import Severity

    return int(worst >= Severity[options.fail_on.upper()])


def _load_config(request: CheckRequest, load_catalogue: "Callable[[], Catalogue]") -> Config:
    written = request.configurable.options
    if written.python and written.env:
        message = "--python and --env cannot be combined"
        raise click.UsageError(message)
    return load_config(
        request.configurable,
        load_catalogue,
        path=request.config,
        no_config=request.no_config,
    )


def _check_machine(
    request: CheckRequest,
    config: Config,
    prepare: Callable[[], "FactsJudge"],
    started_at: float,
    collect_more: Callable[[], "Sequence[Fact]"],
) -> "tuple[Report, bool]":
    """
    Look at this machine and judge it, within the deadline.

    While the first collectors read, the checks are loaded and standards are set.
    """
    options, inquiry = config.options, _build_inquiry(request, config)
    ready = [prepare()] if _needs_early_setup(request, options) else []
    left = max(_MIN_EXAMINATION_SECONDS, options.deadline - (time.monotonic() - started_at))
    price = measure_target.measure_loader(request, inquiry.code)
    measure_target.report_unmeasured(request, price)
    started_at = time.monotonic()

    def prepare_judging() -> None:
        if not ready:
            ready.append(prepare())
        ready[0].preload()

    with show_progress() as watch:
        facts = collect_facts(
            inquiry,
            deadline=max(0.2, left - JUDGING_SECONDS),
            on_progress=watch,
            on_start=prepare_judging,
        )
    facts = facts.merge(*collect_more())
    until = started_at + left - PRINTING_SECONDS
    with files.answer_by(started_at + left):
        who = collect_identities(inquiry.machine)
        report = ready[0].judge(facts, price, who, started_at, until)
    return _add_fix_arguments(report, request, ready[0]), price.interrupted


def _build_inquiry(request: CheckRequest, config: Config) -> CollectionRequest:
    inquiry = check_request.build_inquiry(
        config.options,
        request.paths,
        request.pid,
        request.against,
        verify_files=request.verify_files,
        stdin_source=request.stdin_source,
    )
    return msgspec.structs.replace(inquiry, hung_before=config.hung_reads)


def _add_fix_arguments(report: "Report", request: CheckRequest, judge: "FactsJudge") -> "Report":
    """Let the report say how `fix` is given the same code and the same job."""
    paths = (*request.paths, *(["-"] if request.stdin_source else []))
    arguments = format_job_arguments(
        request.configurable.options, paths, pid=request.pid, measure=request.measure
    )
    redact = judge.policy.redactor.redact_text
    return msgspec.structs.replace(report, fix_arguments=tuple(map(redact, arguments)))


def _needs_early_setup(request: CheckRequest, options: CheckOptions) -> bool:
    """Must the judge be prepared before facts are collected (git or user code runs)?"""
    runs_others = bool(request.diff or request.write_baseline or request.measure)
    return runs_others or options.baseline is not None


def _check_record(
    request: CheckRequest, source: str, judge: "FactsJudge", until: float
) -> "Report":
    """Of a record, only the job that is typed counts: files here describe another one."""
    written = request.configurable.options
    others = {
        "PATHS": request.paths,
        "--pid": request.pid,
        "--against": request.against,
        "--verify-files": request.verify_files,
        "--data": written.data,
        "--python": written.python,
        "--env": written.env,
    }
    data = check_request.read_record(source, others)
    return judge.rejudge(data, written.loader, until)
