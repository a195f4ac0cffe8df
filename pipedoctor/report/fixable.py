"""What `pipedoctor fix` can do about a report, and the one command that does all of it."""

import shlex

from pipedoctor.facts import LiveJob
from pipedoctor.report.model import Report, ReportedFinding, ReportedRemedy

SAFE_MARK, UNSAFE_MARK = "[fix]", "[fix --unsafe]"
STDIN = "-"


def mark_finding(report: Report, entry: ReportedFinding) -> str:
    """
    ``[fix]``, where `fix` can apply a remedy of this finding here; or empty.

    It can look again neither at another machine nor at a job that was watched.
    """
    if report.recorded or LiveJob.section in report.facts.known:
        return ""
    if _is_applied_here(entry):
        return SAFE_MARK
    edit = _find_edit(entry)
    if edit is None or STDIN in report.fix_arguments:
        return ""
    return UNSAFE_MARK if edit.unsafe else SAFE_MARK


def format_fix_command(report: Report) -> str:
    """
    The command that applies all that is marked, for the job that was judged.

    Edits that may change results are left out where there is anything else to apply.
    Empty: there is nothing that `fix` can do here.
    """
    marks = {SAFE_MARK: dict[str, None](), UNSAFE_MARK: dict[str, None]()}
    for entry in report.findings:
        if mark := mark_finding(report, entry):
            marks[mark].setdefault(entry.name)
    for mark, more in ((SAFE_MARK, ()), (UNSAFE_MARK, ("--unsafe",))):
        if names := marks[mark]:
            job = (one for one in report.fix_arguments if one != STDIN)
            return shlex.join(["pipedoctor", "fix", *names, *job, *more])
    return ""


def count_unsafe(report: Report) -> int:
    """Findings whose edits need ``--unsafe``."""
    return sum(mark_finding(report, entry) == UNSAFE_MARK for entry in report.findings)


def _is_applied_here(entry: ReportedFinding) -> bool:
    return any(remedy.automatic for remedy in entry.remedies)


def _find_edit(entry: ReportedFinding) -> ReportedRemedy | None:
    """The remedy whose edits `fix` would make: the first that has any."""
    return next((remedy for remedy in entry.remedies if remedy.edits), None)
