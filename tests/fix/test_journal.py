"""The journal, and what it brings to an end after a crash."""

import dataclasses
import datetime as dt
import os
from pathlib import Path

import pytest

from pipedoctor.fix import engine, undo
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Entry, State
from pipedoctor.fix.journal import Journal
from pipedoctor.fix.plan import Failed, Remove, Run, Write
from tests.fix.workshop import (
    again,
    carried_out,
    carried_out_of,
    nothing,
    plan,
    touching,
)


def left_at(shop: Workshop, entry: Entry, state: State, step: int) -> Entry:
    return shop.journal.put(entry, state=state, step=step)


@pytest.mark.parametrize(
    ("state", "end"),
    [
        (State.PLANNED, State.ROLLED_BACK),
        (State.APPLYING, State.ROLLED_BACK),
        (State.APPLIED, State.ROLLED_BACK),
        (State.ROLLING_BACK, State.ROLLED_BACK),
        (State.UNDOING, State.UNDONE),
    ],
)
def test_what_was_left_in_the_middle_is_brought_to_an_end(
    shop: Workshop, tmp_path: Path, old: Path, state: State, end: State
) -> None:
    write = Write(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write, touching(tmp_path / "ran"))
    left_at(shop, entry, state, 2)

    (ended,) = undo.recover(shop, again)

    assert ended.state is end
    assert old.read_bytes() == b"before"
    assert not (tmp_path / "ran").exists()
    assert undo.recover(shop, again) == []


def test_an_interrupted_removal_is_finished(shop: Workshop, tmp_path: Path) -> None:
    dead = tmp_path / "dead"
    dead.touch()
    whole = plan(Remove(paths=(str(dead),)), irreversible="gone for good")
    left_at(shop, engine.begin(shop, whole), State.APPLYING, 1)

    def look(_: str) -> tuple[engine.Garbage, engine.Proof]:
        return (lambda: frozenset((str(dead),))), lambda: ""

    (ended,) = undo.recover(shop, look)

    assert ended.state is State.PROVED
    assert not dead.exists()


def test_an_interrupted_removal_that_does_not_help_failed(shop: Workshop) -> None:
    whole = plan(Remove(paths=("/x",)), irreversible="gone for good")
    left_at(shop, engine.begin(shop, whole), State.APPLYING, 1)

    (ended,) = undo.recover(shop, lambda _: (nothing, lambda: "still ill"))

    assert (ended.state, ended.reason) == (State.FAILED, "still ill")


def test_what_also_ran_a_command_is_taken_back_as_far_as_it_goes(
    shop: Workshop, tmp_path: Path
) -> None:
    steps = (touching(tmp_path / "ran"), Remove(paths=("/x",)))
    whole = plan(*steps, irreversible="gone for good")
    left_at(shop, carried_out_of(shop, whole), State.APPLYING, 2)

    (ended,) = undo.recover(shop, again)

    assert ended.state is State.FAILED
    assert ended.reason == "it was interrupted; what was removed stays removed: /x"
    assert not (tmp_path / "ran").exists()


def test_nobody_runs_what_anybody_may_write(shop: Workshop) -> None:
    entry = engine.begin(shop, plan(Run(argv=("true",))))
    (shop.journal.root / entry.id / "entry.json").chmod(0o666)

    with pytest.raises(Failed, match="others than its owner"):
        undo.recover(shop, again)


def test_a_full_disk_keeps_nobody_from_going_back(
    shop: Workshop, tmp_path: Path
) -> None:
    entry = carried_out(shop, touching(tmp_path / "ran"))
    full = dataclasses.replace(shop, journal=Journal(Path("/proc/no/journal")))

    back = undo.take_back(full, entry, undo.UNDO)

    assert back.state is State.UNDONE
    assert not (tmp_path / "ran").exists()


def test_numbers_of_the_day_are_not_given_twice(shop: Workshop) -> None:
    now = dt.datetime(2026, 11, 21, tzinfo=dt.timezone.utc)

    names = [shop.journal.open(now) for _ in range(3)]
    (shop.journal.root / names[0]).rmdir()

    assert names == ["2026-11-21-1", "2026-11-21-2", "2026-11-21-3"]
    assert shop.journal.open(now) == "2026-11-21-4"


def test_the_tenth_comes_after_the_ninth(shop: Workshop) -> None:
    for _ in range(10):
        engine.begin(shop, plan(Run(argv=("true",))))

    last = shop.journal.entries()[-1]

    assert last.id.endswith("-10")
    assert next(iter(shop.journal.unfinished())).id.endswith("-10")


def test_backups_have_plain_names(shop: Workshop) -> None:
    entry = engine.begin(shop, plan(Run(argv=("true",))))

    assert shop.journal.backup(entry, "../secret") is None
    assert shop.journal.backup(entry, "") is None
    assert shop.journal.backup(entry, "entry.json")


def test_an_entry_that_claims_to_be_another_is_damaged(shop: Workshop) -> None:
    entry = engine.begin(shop, plan(Run(argv=("true",))))
    (shop.journal.root / entry.id).rename(shop.journal.root / "2020-01-01-1")

    (found,) = shop.journal.entries()

    assert not isinstance(found, Entry)
    assert "it says that it is" in found.reason


def test_who_asked_is_known_behind_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "ada")
    expected = "ada" if os.geteuid() == 0 else engine.who()

    assert engine.who() == expected
    monkeypatch.delenv("SUDO_USER")
    assert engine.who() != "ada"
