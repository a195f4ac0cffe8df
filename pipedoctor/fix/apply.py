"""Apply remedies: plan, consent, a journal entry each, proof or the way back."""

from typing import TYPE_CHECKING

from pipedoctor.fix import conditions, engine, journal, show, undo
from pipedoctor.fix.counter import Counter
from pipedoctor.fix.engine import Proof, Workshop
from pipedoctor.fix.entry import Entry, State
from pipedoctor.fix.lock import locked
from pipedoctor.fix.named import ByHand
from pipedoctor.fix.order import Order, Outlook
from pipedoctor.fix.plan import Failed, Plan, Refused

if TYPE_CHECKING:
    from pipedoctor.fix.measure import Clock

_LISTED = 5


def apply(counter: Counter, order: Order, clock: "Clock | None" = None) -> int:
    """Plan, ask, apply, prove; with a clock by what a loader gains as well."""
    if not counter.dry_run:
        counter.recover(order)
    shown = order.outlook()
    counter.say(*(f"nothing to do: {show.safe(done.why)}" for done in shown.settled))
    code = max((_refused(counter, why, clock) for why in shown.refused), default=0)
    if not shown.plans:
        return code
    counter.say(*show.plans(shown.plans))
    if counter.dry_run:
        counter.say("dry run: nothing was changed")
        return code
    if any(plan.root for plan in shown.plans):
        counter.need_root()
    if clock is not None:
        _refuse_unmeasurable(shown)
    counter.consent("Apply this?")
    return max(code, _apply(counter, order, shown, clock))


def _refused(counter: Counter, why: Refused, clock: "Clock | None") -> int:
    """Say why not; and what the human's own remedy saves, where it can be measured."""
    if clock is not None and isinstance(why, ByHand) and not counter.dry_run:
        clock.launched(counter, why.findings)
    return counter.refuse(why)


def _refuse_unmeasurable(shown: Outlook) -> None:
    for number, plan in enumerate(shown.plans):
        conditions.refuse_unmeasurable(plan)
        if number:
            message = "--measure compares one change: fix one of these, then the other"
            raise Refused(message)


def _apply(
    counter: Counter, order: Order, shown: Outlook, clock: "Clock | None"
) -> int:
    book = journal.writable()
    with locked(book.root) as lock:
        shop = Workshop(journal=book, lock=lock)
        counter.report_ended(undo.recover(shop, order.again))
        now = order.outlook()
        if not now.plans and not now.refused:
            counter.say(*(f"nothing to do: {show.safe(s.why)}" for s in now.settled))
            return 0
        if not now.same_work(shown):
            message = "the machine changed after the plan was shown; look again"
            raise Refused(message)
        codes = [_perform(counter, shop, order, plan, clock) for plan in now.plans]
    if not any(codes):
        _report_rest(counter, order)
    return max(codes)


def _perform(
    counter: Counter,
    shop: Workshop,
    order: Order,
    plan: Plan,
    clock: "Clock | None",
) -> int:
    """One plan from the journal's first word to its last."""
    proof = order.proof(plan)
    if clock is None:
        return _carry_out(counter, shop, order, plan, proof)
    cured = order.examination.found(plan.check) if plan.check else ()
    with clock.before(plan, shop.lock) as before:

        def measured() -> str:
            return proof() or before.fault(counter, cured)

        return _carry_out(counter, shop, order, plan, measured)


def _carry_out(
    counter: Counter, shop: Workshop, order: Order, plan: Plan, proof: Proof
) -> int:
    try:
        entry = engine.begin(shop, plan)
    except (Failed, OSError) as fault:
        return counter.refuse(Refused(f"{plan.subject} was not changed: {fault}"))
    try:
        entry = engine.carry_out(shop, entry, plan, order.garbage(plan), proof)
    except (Failed, OSError) as fault:
        return _roll_back(counter, shop, entry, str(fault))
    except (KeyboardInterrupt, Refused) as fault:
        why = str(fault) or "it was interrupted"
        return _roll_back(counter, shop, entry, why)
    back = f"; take it back: pipedoctor fix --undo {entry.id}"
    counter.say(
        f"done and proved: {show.safe(plan.subject)} {show.safe(plan.after)}"
        f"   (fix {entry.id}{'' if plan.irreversible else back})"
    )
    return 0


def _roll_back(counter: Counter, shop: Workshop, entry: Entry, why: str) -> int:
    """The entry in hand may be older than the one on disk, which counts."""
    found = shop.journal.find(entry.id)
    entry = found if isinstance(found, Entry) else entry
    entry = undo.take_back(shop, entry, undo.ROLL_BACK, reason=why, ours=True)
    back = entry.state is State.ROLLED_BACK
    ending = "it was rolled back" if back else "and it could not be rolled back"
    counter.complain(f"failed: {entry.reason}; {ending} (fix {entry.id})")
    return 1


def _report_rest(counter: Counter, order: Order) -> None:
    rest = order.still_wrong()
    if rest:
        counter.say("still wrong besides:")
        counter.say(*(f"  {show.safe(line)}" for line in rest[:_LISTED]))
    if len(rest) > _LISTED:
        counter.say(f"  and {len(rest) - _LISTED} more: pipedoctor check")
