"""Edit code: a plan, consent, a journal entry, proof, or everything as it was."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pipedoctor.check import Finding
from pipedoctor.fix import engine, journal, show, undo
from pipedoctor.fix.code.ground import Ground
from pipedoctor.fix.code.patch import patch
from pipedoctor.fix.code.proposal import Proposal
from pipedoctor.fix.code.trial import Outcome, Tally, attempt, fault
from pipedoctor.fix.counter import Counter as Desk
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Entry, State
from pipedoctor.fix.lock import locked
from pipedoctor.fix.order import Order
from pipedoctor.fix.plan import Failed, Plan, Refused, Write
from pipedoctor.judge import Chosen
from pipedoctor.source.parse import NotPythonError

_LISTED = 8


@dataclass(frozen=True, kw_only=True)
class Work:
    """One call of ``fix --code``, read and understood."""

    ground: Ground
    chosen: Chosen
    unsafe: bool = False
    explicit: bool = False
    """The user has named what is to be cured."""
    measured: Callable[[Desk, Sequence[Finding]], str] = lambda _, __: ""
    """Measures what was written; why it must go, or nothing."""


def apply(desk: Desk, order: Order, work: Work) -> int:
    """Try in memory, show, ask, write, prove."""
    outcome = attempt(
        work.ground, work.chosen, unsafe=work.unsafe, explicit=work.explicit
    )
    code = int(bool(outcome.turned))
    if desk.dry_run:
        _put(patch(*_by_place(work.ground, outcome)))
        _remarks(desk, work.ground, outcome, loud=desk.complain)
        return code
    if not outcome.files:
        how = "an edit" if work.unsafe else "a safe edit"
        changed = work.ground.changed
        where = f"on lines changed since {changed.since}" if changed else "here"
        desk.say(show.safe(f"nothing to do: no finding {where} can be cured by {how}"))
        _remarks(desk, work.ground, outcome, loud=desk.say)
        return code
    desk.recover(order)
    desk.say(*map(_line, outcome.done))
    plan = _plan(work.ground, outcome)
    desk.say(*show.plans([plan]))
    _remarks(desk, work.ground, outcome, loud=desk.say)
    desk.consent("Apply this?")
    cured = [proposal.found.finding for proposal in outcome.done]

    def proof() -> str:
        return _unproved(work.ground, outcome) or work.measured(desk, cured)

    return max(code, write(desk, plan, proof))


def stream(desk: Desk, work: Work) -> int:
    """Code from stdin to stdout, edited, or its diff; what is said goes to stderr."""
    outcome = attempt(
        work.ground, work.chosen, unsafe=work.unsafe, explicit=work.explicit
    )
    for proposal in () if desk.dry_run else outcome.done:
        desk.complain(_line(proposal))
    if desk.dry_run:
        _put(patch(work.ground.raws, outcome.files))
    else:
        _put(*(outcome.files.get(name, raw) for name, raw in work.ground.raws.items()))
    _remarks(desk, work.ground, outcome, loud=desk.complain)
    return int(bool(outcome.turned))


def _put(*texts: bytes) -> None:
    """Bytes, whatever the code is encoded in."""
    import sys  # noqa: PLC0415  (only here)

    sys.stdout.flush()
    for text in texts:
        sys.stdout.buffer.write(text)
    sys.stdout.flush()


def _line(proposal: Proposal) -> str:
    doubt = f"   unsafe: {proposal.remedy.unsafe}" if proposal.remedy.unsafe else ""
    return show.safe(f"{proposal.title}: {proposal.remedy.title}{doubt}")


def _by_place(
    ground: Ground, outcome: Outcome
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Old and new bytes by the path of the file itself, seen from here."""
    named = {path: os.path.realpath(ground.real[path]) for path in outcome.files}
    here = os.path.realpath(os.curdir)
    place = {path: os.path.relpath(real, here) for path, real in named.items()}
    before = {place[path]: ground.raws[path] for path in named}
    return before, {place[path]: outcome.files[path] for path in named}


def _remarks(desk: Desk, ground: Ground, outcome: Outcome, loud: Any) -> None:
    """What is not done, and what could be."""
    unread = [f"not read: {path}: {why}" for path, why in ground.unread.items()]
    for line in unread[:_LISTED]:
        desk.complain(line)
    if len(unread) > _LISTED:
        desk.complain(f"not read: {len(unread) - _LISTED} more")
    for turned in outcome.turned:
        desk.complain(f"refused: {turned.title}")
    if outcome.bolder:
        count = len(outcome.bolder)
        loud(f"{count} more with --unsafe:")
        for proposal in outcome.bolder[:_LISTED]:
            loud(f"  {show.safe(proposal.title)}: {proposal.remedy.unsafe}")
        if count > _LISTED:
            loud(f"  and {count - _LISTED} more")
    if outcome.doubtful:
        names = sorted({p.found.check.name for p in outcome.doubtful})
        loud(f"only possible, edited when named: --select {','.join(names)}")


def _plan(ground: Ground, outcome: Outcome) -> Plan:
    paths = sorted(outcome.files)
    names = [proposal.found.check.name for proposal in outcome.done]
    return plan_of(
        {os.path.realpath(ground.real[p]): ground.raws[p] for p in paths},
        {os.path.realpath(ground.real[p]): outcome.files[p] for p in paths},
        names[0] if len(names) == 1 else f"{len(names)} findings",
    )


def plan_of(before: dict[str, bytes], after: dict[str, bytes], what: str) -> Plan:
    """The writing of these files, by their real paths; `what` is cured by it."""
    first = next(iter(after))
    return Plan(
        subject=first if len(after) == 1 else f"{len(after)} files of code",
        before=f"with {what}",
        after="edited",
        steps=tuple(
            Write(path=path, content=after[path], found=before[path]) for path in after
        ),
        lasts="for good",
        root=False,
    )


def _unproved(ground: Ground, outcome: Outcome) -> str:
    """Read everything again: why the findings are not cured; empty: they are."""
    known = Tally.of(ground.judge())
    again = ground.again()
    try:
        now = again.judge()
    except NotPythonError as error:
        return str(error)
    for path, content in outcome.files.items():
        if again.raws.get(path) != content:
            return f"{path} does not hold what was written"
    return fault(known, [p.found for p in outcome.done], now).why


def write(desk: Desk, plan: Plan, proof: engine.Proof) -> int:
    """Note, write, prove; what is not proved is taken back at once."""
    book = journal.writable()
    with locked(book.root) as lock:
        shop = Workshop(journal=book, lock=lock)
        try:
            entry = engine.begin(shop, plan)
        except (Failed, OSError) as why:
            return desk.refuse(Refused(f"nothing was changed: {why}"))
        try:
            entry = engine.carry_out(shop, entry, plan, frozenset, proof)
        except (Failed, OSError) as why:
            return _back(desk, shop, entry, str(why))
        except KeyboardInterrupt:
            return _back(desk, shop, entry, "it was interrupted")
    desk.say(
        f"done and proved: {show.safe(plan.subject)} {plan.after}   (fix {entry.id};"
        f" take it back: pipedoctor fix --undo {entry.id})"
    )
    return 0


def _back(desk: Desk, shop: Workshop, entry: Entry, why: str) -> int:
    found = shop.journal.find(entry.id)
    entry = found if isinstance(found, Entry) else entry
    entry = undo.take_back(shop, entry, undo.ROLL_BACK, reason=why)
    back = entry.state is State.ROLLED_BACK
    ending = "it was rolled back" if back else "and it could not be rolled back"
    desk.complain(f"failed: {entry.reason}; {ending} (fix {entry.id})")
    return 1
