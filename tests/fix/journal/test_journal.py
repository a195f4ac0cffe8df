"""The journal, and what it brings to an end after a crash."""

import dataclasses
import datetime as dt
import os
import shutil
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.fix.engine import engine, undo
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.journal.entry import DamagedEntry, FixState, JournalEntry
from pipedoctor.fix.journal.journal import Journal
from pipedoctor.fix.plan.plan import CommandStep, RemoveStep, WriteStep
from pipedoctor.runtime.verified_folder import VerifiedFolder
from tests.fix.workshop import (
    again,
    carried_out,
    carried_out_of,
    nothing,
    plan,
    touching,
)


def left_at(shop: LockedJournal, entry: JournalEntry, state: FixState, step: int) -> JournalEntry:
    return shop.journal.save(entry, state=state, step=step)


@pytest.mark.parametrize(
    ("state", "end"),
    [
        (FixState.PLANNED, FixState.ROLLED_BACK),
        (FixState.APPLYING, FixState.ROLLED_BACK),
        (FixState.APPLIED, FixState.ROLLED_BACK),
        (FixState.ROLLING_BACK, FixState.ROLLED_BACK),
        (FixState.UNDOING, FixState.UNDONE),
    ],
)
def test_what_was_left_in_the_middle_is_brought_to_an_end(
    shop: LockedJournal, tmp_path: Path, old: Path, state: FixState, end: FixState
) -> None:
    write = WriteStep(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write, touching(tmp_path / "ran"))
    left_at(shop, entry, state, 2)

    (ended,) = undo.recover_unfinished(shop, again)

    assert ended.state is end
    assert old.read_bytes() == b"before"
    assert not (tmp_path / "ran").exists()
    assert undo.recover_unfinished(shop, again) == []


def test_an_interrupted_removal_is_finished(shop: LockedJournal, tmp_path: Path) -> None:
    dead = tmp_path / "dead"
    dead.touch()
    whole = plan(RemoveStep(paths=(str(dead),)), irreversible="gone for good")
    left_at(shop, engine.record_plan(shop, whole), FixState.APPLYING, 1)

    def look(_: str) -> tuple[engine.GarbageLookup, engine.Proof]:
        return (lambda: frozenset((str(dead),))), lambda: ""

    (ended,) = undo.recover_unfinished(shop, look)

    assert ended.state is FixState.PROVED
    assert not dead.exists()


def test_an_interrupted_removal_that_does_not_help_failed(shop: LockedJournal) -> None:
    whole = plan(RemoveStep(paths=("/x",)), irreversible="gone for good")
    left_at(shop, engine.record_plan(shop, whole), FixState.APPLYING, 1)

    (ended,) = undo.recover_unfinished(shop, lambda _: (nothing, lambda: "still ill"))

    assert (ended.state, ended.reason) == (FixState.FAILED, "still ill")


def test_what_also_ran_a_command_is_taken_back_as_far_as_it_goes(
    shop: LockedJournal, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    steps = (touching(tmp_path / "ran"), RemoveStep(paths=("/x",)))
    whole = plan(*steps, irreversible="gone for good")
    left_at(shop, carried_out_of(shop, whole), FixState.APPLYING, 2)

    (ended,) = undo.recover_unfinished(shop, again)

    assert ended.state is FixState.FAILED
    assert ended.reason == snapshot
    assert not (tmp_path / "ran").exists()


def test_what_anybody_may_write_is_no_entry(shop: LockedJournal, tmp_path: Path) -> None:
    entry = carried_out(shop, touching(tmp_path / "ran"))
    left_at(shop, entry, FixState.APPLYING, 1)
    (shop.journal.root / entry.id / "entry.json").chmod(0o666)

    assert undo.recover_unfinished(shop, again) == []
    assert (tmp_path / "ran").exists()
    (damaged,) = shop.journal.read_entries()
    assert isinstance(damaged, DamagedEntry)
    assert "can be written by everybody" in damaged.reason


def test_a_full_disk_keeps_nobody_from_going_back(shop: LockedJournal, tmp_path: Path) -> None:
    entry = carried_out(shop, touching(tmp_path / "ran"))
    no_journal = VerifiedFolder(os.open("/proc", os.O_RDONLY), "/proc")
    full = dataclasses.replace(shop, journal=Journal(no_journal))

    back = undo.reverse_entry(full, entry, undo.UNDO)

    assert back.state is FixState.UNDONE
    assert not (tmp_path / "ran").exists()


def test_numbers_of_the_day_are_not_given_twice(shop: LockedJournal) -> None:
    now = dt.datetime(2026, 11, 21, tzinfo=dt.timezone.utc)

    template = engine.record_plan(shop, plan(CommandStep(argv=("true",))))

    def create() -> str:
        return shop.journal.add_entry(
            now, {}, lambda name: msgspec.structs.replace(template, id=name)
        ).id

    names = [create() for _ in range(3)]
    shutil.rmtree(shop.journal.root / names[0])

    assert names == ["2026-11-21-1", "2026-11-21-2", "2026-11-21-3"]
    assert create() == "2026-11-21-4"


def test_the_tenth_comes_after_the_ninth(shop: LockedJournal) -> None:
    for _ in range(10):
        engine.record_plan(shop, plan(CommandStep(argv=("true",))))

    last = shop.journal.read_entries()[-1]

    assert last.id.endswith("-10")
    assert next(iter(shop.journal.list_unfinished())).id.endswith("-10")


def test_backups_have_plain_names(shop: LockedJournal) -> None:
    entry = engine.record_plan(shop, plan(CommandStep(argv=("true",))))

    assert shop.journal.read_backup(entry, "../secret") is None
    assert shop.journal.read_backup(entry, "") is None
    assert shop.journal.read_backup(entry, "entry.json") is None
    assert shop.journal.read_backup(entry, "0.backup") is None


def test_an_entry_that_claims_to_be_another_is_damaged(shop: LockedJournal) -> None:
    entry = engine.record_plan(shop, plan(CommandStep(argv=("true",))))
    (shop.journal.root / entry.id).rename(shop.journal.root / "2020-01-01-1")

    (found,) = shop.journal.read_entries()

    assert not isinstance(found, JournalEntry)
    assert "it says that it is" in found.reason


def test_who_asked_is_known_behind_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "ada")
    expected = "ada" if os.geteuid() == 0 else engine.get_requesting_user()

    assert engine.get_requesting_user() == expected
    monkeypatch.delenv("SUDO_USER")
    assert engine.get_requesting_user() != "ada"
