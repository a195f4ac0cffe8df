"""Apply remedies: plan, consent, a journal entry each, proof or the way back."""

import contextlib
from typing import TYPE_CHECKING

from pipedoctor.fix.console.apply_plan import apply_or_roll_back
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import plan_text, undo
from pipedoctor.fix.engine.engine import LockedJournal, Proof
from pipedoctor.fix.files.held_file import HeldFiles
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.lock import hold_lock
from pipedoctor.fix.machine import change_scope
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError
from pipedoctor.fix.request.named_checks import ManualRemedyError
from pipedoctor.fix.request.request import FixRequest, PlannedFixes

if TYPE_CHECKING:
    from pipedoctor.fix.machine.measure_change import ChangeMeasurement

_MAX_LISTED = 5


def apply_fixes(
    console: Console, request: FixRequest, clock: "ChangeMeasurement | None" = None
) -> int:
    """Plan, ask, apply, prove; with a clock by what a loader gains as well."""
    if not console.dry_run:
        console.recover_interrupted(request)
    shown = request.make_plans()
    console.print_lines(
        *(f"nothing to do: {plan_text.escape_text(done.why)}" for done in shown.unneeded)
    )
    code = max((_report_refusal(console, why, clock) for why in shown.refused), default=0)
    if not shown.plans:
        return code
    console.print_lines(*plan_text.render_plans(shown.plans))
    if console.dry_run:
        console.print_lines("dry run: nothing was changed")
        return code
    if any(plan.root for plan in shown.plans):
        console.require_root()
    if clock is not None:
        _refuse_unmeasurable(shown)
    console.require_consent("Apply this?")
    return max(code, _apply_plans(console, request, shown, clock))


def _report_refusal(
    console: Console, why: FixRefusedError, clock: "ChangeMeasurement | None"
) -> int:
    """Say why not; and what the human's own remedy saves, where it can be measured."""
    if clock is not None and isinstance(why, ManualRemedyError) and not console.dry_run:
        clock.report_launcher_gain(console, why.findings)
    return console.report_refusal(why)


def _refuse_unmeasurable(planned_fixes: PlannedFixes) -> None:
    for number, plan in enumerate(planned_fixes.plans):
        change_scope.refuse_unmeasurable(plan)
        if number:
            message = "--measure compares one change: fix them one after the other"
            raise FixRefusedError(message)


def _apply_plans(
    console: Console,
    request: FixRequest,
    shown: PlannedFixes,
    clock: "ChangeMeasurement | None",
) -> int:
    """Apply the plans as they were shown, where the machine still is as it was then."""
    book = journals.find_writable()
    with hold_lock(book.folder) as lock, contextlib.closing(HeldFiles()) as files:
        shop = LockedJournal(journal=book, lock=lock, files=files)
        console.report_recovered(undo.recover_unfinished(shop, request.prepare_recovery))
        now = request.make_plans()
        if not now.plans and not now.refused:
            console.print_lines(
                *(f"nothing to do: {plan_text.escape_text(s.why)}" for s in now.unneeded)
            )
            return 0
        if not shown.may_follow(now):
            message = "the machine changed after the plan was shown; run the command again"
            raise FixRefusedError(message)
        codes: list[int] = []
        for plan in request.order_causes_first(shown.plans):
            if codes and request.is_cured(plan):
                console.print_lines(
                    f"nothing to do: {plan.subject} is already fixed by the previous change"
                )
                continue
            codes.append(_apply_plan(console, shop, request, plan, clock))
    if not any(codes):
        _report_remaining(console, request)
    return max(codes)


def _apply_plan(
    console: Console,
    locked_journal: LockedJournal,
    request: FixRequest,
    plan: FixPlan,
    clock: "ChangeMeasurement | None",
) -> int:
    """Apply one plan and write every state of it to the journal."""
    proof = request.make_proof(plan)
    if clock is None:
        return _execute_plan(console, locked_journal, request, plan, proof)
    cured = request.examination.collect_findings(plan.check) if plan.check else ()
    with clock.probe_before(plan, locked_journal.lock) as before:

        def prove_with_measurement() -> str:
            return proof() or before.explain_rejection(console, cured)

        return _execute_plan(console, locked_journal, request, plan, prove_with_measurement)


def _execute_plan(
    console: Console,
    locked_journal: LockedJournal,
    request: FixRequest,
    plan: FixPlan,
    proof: Proof,
) -> int:
    return apply_or_roll_back(
        console,
        locked_journal,
        plan,
        proof,
        request.make_garbage_lookup(plan),
        unchanged=f"{plan.subject} was not changed",
    )


def _report_remaining(console: Console, request: FixRequest) -> None:
    rest = request.list_remaining_findings()
    if rest:
        console.print_lines("other problems that remain:")
        console.print_lines(*(f"  {plan_text.escape_text(line)}" for line in rest[:_MAX_LISTED]))
    if len(rest) > _MAX_LISTED:
        console.print_lines(f"  and {len(rest) - _MAX_LISTED} more: pipedoctor check")
