"""Edit code: a plan, consent, a journal entry, proof, or everything as it was."""

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipedoctor.check import Finding
from pipedoctor.engine.runner import CheckFilter
from pipedoctor.fix.code.changed_lines import find_user_place
from pipedoctor.fix.code.judged_source import CodeWorkspace
from pipedoctor.fix.code.not_offered import describe_unedited, find_elsewhere
from pipedoctor.fix.code.patch import render_patch
from pipedoctor.fix.code.proposal import Proposal, explain_hard_links, explain_misplaced
from pipedoctor.fix.code.trial import (
    EditOutcome,
    FindingCounts,
    attempt_edits,
    find_remaining,
)
from pipedoctor.fix.console.apply_plan import apply_or_roll_back
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import plan_text, undo
from pipedoctor.fix.engine.engine import LockedJournal, Proof
from pipedoctor.fix.files.held_file import HeldFiles
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.lock import hold_lock
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError, StepFailedError, WriteStep
from pipedoctor.fix.request.request import FixRequest
from pipedoctor.source.syntax.parse import NotPythonError

_MAX_LISTED = 8


@dataclass(frozen=True, kw_only=True)
class CodeFixRequest:
    """One call of ``fix --code``, read and understood."""

    workspace: CodeWorkspace
    check_filter: CheckFilter
    unsafe: bool = False
    explicit: bool = False
    """The user has named what is to be cured."""
    measure_gain: Callable[[Console, Sequence[Finding]], str] = lambda _, __: ""
    """Measures what was written; why it must go, or nothing."""


def apply_edits(console: Console, request: FixRequest, code_request: CodeFixRequest) -> int:
    """Try in memory, show, ask, write, prove."""
    outcome = attempt_edits(
        code_request.workspace,
        code_request.check_filter,
        unsafe=code_request.unsafe,
        explicit=code_request.explicit,
    )
    code = int(bool(outcome.refused))
    if console.dry_run:
        _write_stdout(render_patch(*_index_by_path(code_request.workspace, outcome)))
        _report_nothing(code_request, outcome, report=console.print_error)
        _report_remarks(console, code_request.workspace, outcome, report=console.print_error)
        return code
    if not outcome.files:
        _report_nothing(code_request, outcome, report=console.print_lines)
        _report_remarks(console, code_request.workspace, outcome, report=console.print_lines)
        return code
    console.print_lines(*map(_describe_proposal, outcome.applied))
    plan = _make_plan(code_request.workspace, outcome)
    cured = [proposal.found.finding for proposal in outcome.applied]

    def proof() -> str:
        return _verify_edits(code_request.workspace, outcome) or code_request.measure_gain(
            console, cured
        )

    with contextlib.closing(HeldFiles()) as files:
        hold_files(code_request.workspace, plan, files)
        console.print_lines(*plan_text.render_plans([plan]))
        _report_remarks(console, code_request.workspace, outcome, report=console.print_lines)
        console.require_consent("Apply this?")
        return max(code, execute_code_plan(console, request, plan, proof, files))


def edit_stdin(console: Console, code_request: CodeFixRequest) -> int:
    """Code from stdin to stdout, edited, or its diff; what is said goes to stderr."""
    outcome = attempt_edits(
        code_request.workspace,
        code_request.check_filter,
        unsafe=code_request.unsafe,
        explicit=code_request.explicit,
    )
    for proposal in () if console.dry_run else outcome.applied:
        console.print_error(_describe_proposal(proposal))
    if console.dry_run:
        _write_stdout(render_patch(code_request.workspace.contents, outcome.files))
    else:
        _write_stdout(
            *(outcome.files.get(name, raw) for name, raw in code_request.workspace.contents.items())
        )
    _report_remarks(console, code_request.workspace, outcome, report=console.print_error)
    return int(bool(outcome.refused))


def _write_stdout(*texts: bytes) -> None:
    """Bytes, whatever the code is encoded in."""
    import sys  # noqa: PLC0415  (only here)

    sys.stdout.flush()
    for text in texts:
        sys.stdout.buffer.write(text)
    sys.stdout.flush()


def _describe_proposal(proposal: Proposal) -> str:
    doubt = f"   unsafe: {proposal.remedy.unsafe}" if proposal.remedy.unsafe else ""
    return plan_text.escape_text(f"{proposal.title}: {proposal.remedy.title}{doubt}")


def _index_by_path(
    workspace: CodeWorkspace, outcome: EditOutcome
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Old and new bytes by the path of the file itself, seen from here."""
    named = {path: os.path.realpath(workspace.real_paths[path]) for path in outcome.files}
    here = os.path.realpath(os.curdir)
    place = {path: os.path.relpath(real, here) for path, real in named.items()}
    before = {place[path]: workspace.contents[path] for path in named}
    return before, {place[path]: outcome.files[path] for path in named}


def _report_nothing(code_request: CodeFixRequest, outcome: EditOutcome, report: Any) -> None:
    """Where nothing is edited: that, for which findings, and why."""
    if outcome.files:
        return
    how = "an edit" if code_request.unsafe else "a safe edit"
    changed = code_request.workspace.changed_lines
    where = f"on lines changed since {changed.since}" if changed else "here"
    report(plan_text.escape_text(f"nothing to do: no finding {where} can be fixed by {how}"))
    elsewhere = [] if changed else find_elsewhere(code_request.workspace)
    for line in (*describe_unedited(outcome.unedited), *elsewhere):
        report(plan_text.escape_text(line))


def _report_remarks(
    console: Console, workspace: CodeWorkspace, outcome: EditOutcome, report: Any
) -> None:
    """What is not done, and what could be."""
    unread = [f"not read: {path}: {why}" for path, why in workspace.unread.items()]
    for line in unread[:_MAX_LISTED]:
        console.print_error(line)
    if len(unread) > _MAX_LISTED:
        console.print_error(f"not read: {len(unread) - _MAX_LISTED} more")
    for turned in outcome.refused:
        console.print_error(f"refused: {turned.title}")
    for found in outcome.revealed[:_MAX_LISTED]:
        edited = {**workspace.contents, **outcome.files}
        place = find_user_place(found, workspace.contents, edited)
        summary = plan_text.escape_text(found.finding.summary)
        report(f"appears after the edit: {place}  {found.check.name}: {summary}")
    if outcome.needs_unsafe:
        count = len(outcome.needs_unsafe)
        report(f"{count} more with --unsafe:")
        for proposal in outcome.needs_unsafe[:_MAX_LISTED]:
            report(f"  {plan_text.escape_text(proposal.title)}: {proposal.remedy.unsafe}")
        if count > _MAX_LISTED:
            report(f"  and {count - _MAX_LISTED} more")
    if outcome.uncertain:
        names = sorted({p.found.check.name for p in outcome.uncertain})
        report(f"less certain, edited only if selected: --select {','.join(names)}")


def _make_plan(workspace: CodeWorkspace, outcome: EditOutcome) -> FixPlan:
    paths = sorted(outcome.files)
    names = [proposal.found.check.name for proposal in outcome.applied]
    return plan_file_writes(
        {os.path.realpath(workspace.real_paths[p]): workspace.contents[p] for p in paths},
        {os.path.realpath(workspace.real_paths[p]): outcome.files[p] for p in paths},
        names[0] if len(names) == 1 else f"{len(names)} findings",
    )


def plan_file_writes(before: dict[str, bytes], after: dict[str, bytes], what: str) -> FixPlan:
    """The writing of these files, by their real paths; `what` is cured by it."""
    first = next(iter(after))
    return FixPlan(
        subject=first if len(after) == 1 else f"{len(after)} files of code",
        before=f"with {what}",
        after="edited",
        steps=tuple(
            WriteStep(path=path, content=after[path], found=before[path]) for path in after
        ),
        lasts="for good",
        root=False,
    )


def _verify_edits(workspace: CodeWorkspace, outcome: EditOutcome) -> str:
    """Read everything again; returns why the findings are not fixed, or nothing."""
    known = FindingCounts.from_findings(workspace.judge())
    expected = FindingCounts.from_findings(workspace.judge(outcome.files))
    again = workspace.reread()
    try:
        now = again.judge()
    except NotPythonError as error:
        return str(error)
    for path, content in outcome.files.items():
        if again.contents.get(path) != content:
            return f"{path} does not hold what was written"
    counts = FindingCounts.from_findings(now)
    for found in now:
        if expected.is_new(found, counts):
            return f"{found.check.name} is new at {found.place}: {found.finding.summary}"
    return find_remaining(known, [p.found for p in outcome.applied], now).why


def hold_files(workspace: CodeWorkspace, plan: FixPlan, files: HeldFiles) -> None:
    """
    Open the very files that were read, until they are replaced.

    Raises Refused for one that is not the file that was read any more, lies elsewhere,
    or has other names that would keep the old code.
    """
    for step in plan.steps:
        if isinstance(step, WriteStep) and (why := _hold_file(workspace, step, files)):
            message = f"nothing was changed: {why}"
            raise FixRefusedError(message)


def _hold_file(workspace: CodeWorkspace, step: WriteStep, files: HeldFiles) -> str:
    """Why it cannot be edited; empty: it is open now."""
    try:
        held = files.hold(step.path)
    except (OSError, StepFailedError) as error:
        return str(error)
    if held.content != step.found:
        return f"{step.path} changed after the plan was made"
    why = explain_misplaced(workspace, step.path) or explain_hard_links(held.status)
    return f"{step.path} {why}" if why else ""


def execute_code_plan(
    console: Console, request: FixRequest, plan: FixPlan, proof: Proof, files: HeldFiles
) -> int:
    """Note, write, prove; what is not proved is taken back at once."""
    book = journals.find_writable()
    with hold_lock(book.folder) as lock:
        shop = LockedJournal(journal=book, lock=lock, files=files)
        console.report_recovered(undo.recover_unfinished(shop, request.prepare_recovery))
        return apply_or_roll_back(console, shop, plan, proof)
