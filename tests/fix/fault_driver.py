"""
Let a fix meet a fault at each of its system calls, and see what is left.

``LD_PRELOAD=faults.so python fault_driver.py SCENE ERROR FIRST STEP FOLDER``: each run is a
fork of this process whose n-th call on FOLDER fails with ERROR (0: it is killed before it),
n = FIRST, FIRST + STEP, ... until one meets no fault. Then another fork, without a fault,
brings to an end what was left. A line of JSON for each: the call, how both ended, and what
there is.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipedoctor.fix.console import apply_plan
from pipedoctor.fix.console.console import Console
from pipedoctor.fix.engine import engine, undo
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import FixState, JournalEntry
from pipedoctor.fix.journal.lock import hold_lock
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixPlan,
    FixRefusedError,
    StepFailedError,
    WriteStep,
)
from tests.fault_fork import CRASHED, in_fork

OLD, NEW, MADE = b"old\n" * 3000, b"new\n" * 3000, b"made\n"


def make_plan(folder: Path) -> FixPlan:
    """One file is replaced, one is made in a new folder, one command has an undo."""
    ran = str(folder / "work/ran")
    return FixPlan(
        subject="files",
        before="ill",
        after="well",
        steps=(
            WriteStep(path=str(folder / "work/file"), content=NEW, found=OLD),
            WriteStep(path=str(folder / "work/new/made"), content=MADE, found=None),
            CommandStep(argv=("touch", ran), undo=("rm", "-f", ran)),
        ),
        lasts="for good",
        root=False,
    )


def silent() -> Console:
    return Console(lambda *_, **__: None, lambda _: True, yes=True)


def work(body: Callable[[LockedJournal], int]) -> int:
    """Run under the lock as `fix` does; its exit code."""
    try:
        journal = journals.find_writable()
        with hold_lock(journal.folder) as lock:
            shop = LockedJournal(journal=journal, lock=lock)
            undo.recover_unfinished(shop, lambda _: (frozenset, str))
            return body(shop)
    except (StepFailedError, FixRefusedError, OSError):
        return 1


def apply(folder: Path) -> int:
    """As `fix` does: where the fix is in force already, there is nothing to do."""

    def body(shop: LockedJournal) -> int:
        newest = journals.find_newest_entry()
        if newest and newest[1].is_in_force:
            return 0
        return apply_plan.apply_or_roll_back(silent(), shop, make_plan(folder), str)

    return work(body)


def take_back(_: Path) -> int:
    def body(shop: LockedJournal) -> int:
        found = journals.find_newest_entry()
        if found is None:
            return 0
        return int(undo.reverse_entry(shop, found[1], undo.UNDO).state.value != "undone")

    return work(body)


def try_again(_: Path) -> int:
    """``--undo ID`` of whatever is not taken back yet: also of what has failed."""

    def body(shop: LockedJournal) -> int:
        for entry in shop.journal.read_entries():
            assert isinstance(entry, JournalEntry)
            if entry.state not in {FixState.UNDONE, FixState.ROLLED_BACK}:
                undo.reverse_entry(shop, entry, undo.UNDO)
        return 0

    return work(body)


def recover(_: Path) -> int:
    return work(lambda _: 0)


def die_midway(folder: Path) -> int:
    """Leave a fix behind whose steps are all done, and which nobody has finished."""

    def body(shop: LockedJournal) -> int:
        plan = make_plan(folder)
        entry = engine.record_plan(shop, plan)
        engine.execute_plan(shop, entry, plan, frozenset, lambda: os._exit(0))
        return 0

    return work(body)


Scene = tuple[Callable[[Path], int] | None, Callable[[Path], int], Callable[[Path], int]]
SCENES: dict[str, Scene] = {
    "apply": (None, apply, apply),
    "undo": (apply, take_back, try_again),
    "recover": (die_midway, recover, try_again),
}
"""What comes before, what meets the fault, and what comes after."""


def reset(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "work").mkdir(parents=True)
    (folder / "work/file").write_bytes(OLD)


def describe(folder: Path) -> dict[str, Any]:
    """What there is, by names and not by bytes."""
    content = {OLD: "old", NEW: "new"}
    file, made = folder / "work/file", folder / "work/new/made"
    with_journal = [j.read_entries() for j in journals.list_journals()]
    known = {"file", "new", "ran"}
    return {
        "file": content.get(file.read_bytes() if file.exists() else b"", "lost"),
        "made": made.read_bytes() == MADE if made.exists() else None,
        "ran": (folder / "work/ran").exists(),
        "left": sorted({p.name for p in (folder / "work").iterdir()} - known)
        + sorted(p.name for p in (folder / "work").glob("new/*") if p.name != "made"),
        "states": [
            entry.state.value if isinstance(entry, JournalEntry) else "damaged"
            for entries in with_journal
            for entry in entries
        ],
        "foreign": [item.name for j in journals.list_journals() for item in j.list_foreign()],
    }


def main() -> None:
    scene, error, first, step, place = sys.argv[1:]
    folder = Path(place)
    before, body, after = SCENES[scene]
    for fault in range(int(first), 100_000, int(step)):
        reset(folder)
        if before:
            in_fork(before, folder)
        code, about = in_fork(body, folder, fault, int(error))
        if not about and code != -signal.SIGKILL:
            return
        seen = describe(folder)
        then, words = in_fork(after, folder)
        line = {"fault": fault, "about": about or words, "code": code, "then": then}
        print(json.dumps({**line, "at_once": seen, "after": describe(folder)}), flush=True)  # noqa: T201
        if then == CRASHED:
            return


if __name__ == "__main__":
    main()
