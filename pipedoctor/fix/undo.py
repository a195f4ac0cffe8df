"""The way back: step by step, last first, and each proved; also after a crash."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from pipedoctor.fix import engine, files
from pipedoctor.fix.engine import Garbage, Proof, Workshop
from pipedoctor.fix.entry import Entry, Record, State
from pipedoctor.fix.files import Written
from pipedoctor.fix.gauge import SHM
from pipedoctor.fix.plan import Failed, Remove, Run
from pipedoctor.units import human

Again = Callable[[str], tuple[Garbage, Proof]]
"""For the code of a check: how to look for its garbage, and how to prove it gone."""


@dataclass(frozen=True)
class Way:
    """What an entry is called while it is taken back, and afterwards."""

    during: State
    after: State


ROLL_BACK = Way(State.ROLLING_BACK, State.ROLLED_BACK)
UNDO = Way(State.UNDOING, State.UNDONE)


def take_back(
    shop: Workshop,
    entry: Entry,
    way: Way,
    *,
    reason: str = "",
    force: bool = False,
    ours: bool = False,
) -> Entry:
    """
    Reverse every step that was begun; ends in `way.after`, or in `failed`.

    Each reversal may be done twice without harm, since we may be killed in between.
    `force` also reverses what somebody else changed after us; `ours`: a value that
    is neither the old nor the new one can only come from our own failed command.
    """
    reason = reason or entry.reason
    entry = _note(shop, entry, state=way.during, reason=reason)
    faults: list[str] = []
    for record in reversed(entry.steps[: entry.step]):
        try:
            surely = force or (ours and isinstance(record, Run))
            reverse(shop, entry, record, force=surely)
        except (Failed, OSError) as fault:  # noqa: PERF203  (the others still go back)
            faults.append(str(fault))
    state = State.FAILED if faults else way.after
    reason = "; ".join(filter(None, [reason, *faults]))
    return _note(shop, entry, state=state, reason=reason)


def _note(shop: Workshop, entry: Entry, **changes: object) -> Entry:
    """
    Note it if that is still possible: a full disk must not keep us from going back.

    What could not be noted is found unfinished by the next fix, which goes back
    once more, without harm.
    """
    try:
        return shop.journal.put(entry, **changes)
    except OSError:
        return msgspec.structs.replace(entry, **changes)


def reverse(shop: Workshop, entry: Entry, record: Record, *, force: bool) -> None:
    """Take one step back and see that it is back; Failed when it cannot be."""
    if isinstance(record, Written):
        _put_back(shop, entry, record, force=force)
    elif isinstance(record, Remove):
        message = f"what was removed stays removed: {', '.join(record.paths)}"
        raise Failed(message)
    elif record.undo:
        _run_back(shop, record, force=force)


def _put_back(shop: Workshop, entry: Entry, file: Written, *, force: bool) -> None:
    files.sweep(file)
    now = files.content_of(file.path)
    if files.digest(now) == file.digest_before:
        return
    if files.digest(now) != file.digest_after:
        if not force:
            raise Failed(_changed(file))
        if now is not None:
            name = f"overwritten-{files.digest(now)[:12]}"
            shop.journal.keep(entry.id, {name: now})
    files.restore(file, shop.journal.backup(entry, file.backup))
    if files.digest(files.content_of(file.path)) != file.digest_before:
        message = f"{file.path} is not what it was"
        raise Failed(message)


def _run_back(shop: Workshop, step: Run, *, force: bool) -> None:
    if step.gauge is not None:
        now = step.gauge.read()
        if now is None or now == step.before:
            return
        if now != step.after and not force:
            raise Failed(_moved(step, now))
    if why_not := _too_full(step):
        raise Failed(why_not)
    engine.run(step.undo, shop.lock)
    if step.gauge is not None and (now := step.gauge.read()) != step.before:
        shown = "nothing" if now is None else step.gauge.words(now)
        message = f"{step.gauge.subject} shows {shown} after the undo"
        raise Failed(message)


def obstacles(entry: Entry) -> list[str]:
    """Why an entry cannot be taken back as things are; `force` passes all but use."""
    return [why for record in entry.steps if (why := _obstacle(entry, record))]


def hard_obstacles(entry: Entry) -> list[str]:
    """Why an entry cannot be taken back, whoever insists."""
    if entry.irreversible:
        return [entry.irreversible]
    steps = (step for step in entry.steps if isinstance(step, Run))
    return [why for step in steps if (why := _too_full(step))]


def _obstacle(entry: Entry, record: Record) -> str:
    if isinstance(record, Remove):
        return entry.irreversible
    if isinstance(record, Written):
        held = files.digest(files.content_of(record.path))
        fits = held in {record.digest_before, record.digest_after}
        return "" if fits else _changed(record)
    now = record.gauge.read() if record.gauge else None
    if now is None or now in {record.before, record.after}:
        return ""
    return _moved(record, now)


def _too_full(step: Run) -> str:
    if step.gauge is None or step.gauge.kind != "shm":
        return ""
    seen = os.statvfs(SHM)
    used = (seen.f_blocks - seen.f_bfree) * seen.f_frsize
    if not int(step.before) or used <= int(step.before):
        return ""
    before = human(int(step.before))
    return (
        f"{human(used)} are in use in {SHM} now, more than the {before} it had: "
        "remove files there first, or stop the job"
    )


def _changed(file: Written) -> str:
    return f"{file.path} was changed by somebody else after the fix"


def _moved(step: Run, now: str) -> str:
    assert step.gauge is not None  # noqa: S101  (callers have read it)
    shown = step.gauge.words(now)
    return f"{step.gauge.subject} was changed to {shown} by somebody else after the fix"


def recover(shop: Workshop, again: Again) -> list[Entry]:
    """
    Bring fixes that were killed in the middle to an end, newest first.

    We hold the lock, so nobody works on them. A removal is finished, all else is
    taken back: an undo to `undone`, a fix to `rolled-back`.
    """
    ended: list[Entry] = []
    for entry in shop.journal.unfinished():
        if why_not := shop.journal.mistrusted(entry):
            message = f"{entry.id} was left in the middle, but {why_not}"
            raise Failed(message)
        if entry.irreversible and all(isinstance(s, Remove) for s in entry.steps):
            ended.append(_finish(shop, entry, *again(entry.check)))
        else:
            way = UNDO if entry.state is State.UNDOING else ROLL_BACK
            reason = entry.reason or "it was interrupted"
            ended.append(take_back(shop, entry, way, reason=reason))
    shop.journal.sweep()
    return ended


def _finish(shop: Workshop, entry: Entry, garbage: Garbage, proof: Proof) -> Entry:
    for step in entry.steps:
        if isinstance(step, Remove):
            engine.remove(step, garbage())
    why_not = proof()
    state = State.FAILED if why_not else State.PROVED
    return shop.journal.put(entry, state=state, step=len(entry.steps), reason=why_not)
