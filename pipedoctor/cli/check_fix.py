"""`check --fix`: apply what the report marks, then say what is left."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pipedoctor.cli.request.requests import CheckRequest, FixCommandRequest
from pipedoctor.tune import DEFAULT_BUDGET

if TYPE_CHECKING:
    from pipedoctor.cli.request.check_options import CheckOptions
    from pipedoctor.report.model import Report

_FIX_FAILED_CODE = 1


def apply_marked(report: "Report", options: "CheckOptions", request: CheckRequest) -> int:
    """
    Do what the last line of the report would do, and give the exit code of both.

    1 where a fix was refused or rolled back; else what the findings that are left come
    to, since a fix is done only once its finding is gone.
    """
    from pipedoctor.cli.actions import check_output
    from pipedoctor.cli.fix import run_fix
    from pipedoctor.report import fixable

    marked = {
        entry.name: None
        for entry in report.findings
        if fixable.mark_finding(report, entry) == fixable.SAFE_MARK
    }
    if marked and run_fix(_build_fix_request(tuple(marked), request)):
        return _FIX_FAILED_CODE
    left = tuple(entry for entry in report.findings if entry.name not in marked)
    if marked and not left:
        return 0
    return check_output.choose_exit_code(replace(report, findings=left), options)


def _build_fix_request(names: tuple[str, ...], request: CheckRequest) -> FixCommandRequest:
    written = request.configurable.options
    return FixCommandRequest(
        names=(*names, *request.paths),
        budget=DEFAULT_BUDGET,
        diff=request.diff,
        yes=request.yes,
        pid=request.pid,
        measure=request.measure,
        data=written.data,
        workers=written.workers,
        prefetch=written.prefetch,
        batch_bytes=written.batch_bytes,
        ranks=written.ranks,
        python=written.python,
        env=written.env,
    )
