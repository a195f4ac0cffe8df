"""Reports that are kept: few, young, small, private."""

import datetime as dt
import gzip
import os
import stat
import time
from pathlib import Path

import pytest

from pipedoctor import history
from pipedoctor.book import Book
from pipedoctor.facts import Unreadable

NOON = dt.datetime(2026, 1, 31, 12, tzinfo=dt.timezone.utc)


def hours(number: int) -> dt.datetime:
    return NOON + dt.timedelta(hours=number)


def test_what_is_kept_is_listed_and_read(home: Path) -> None:
    Book().settle({("user", "alice"): 1})
    history.keep(b'{"x": "<user-1>"}', "breaks", NOON)
    newer = history.keep(b"{}", "", hours(1))

    first, second = history.entries()

    assert (first.when, first.path, first.worst) == (hours(1), newer, "fine")
    assert (second.when, second.worst) == (NOON, "breaks")
    assert history.read(second) == b'{"x": "alice"}'
    assert history.as_kept(second) == b'{"x": "<user-1>"}'
    assert stat.S_IMODE(newer.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "reports").stat().st_mode) == 0o700


def test_only_so_many(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST", 3)
    for number in range(5):
        history.keep(b"{}", "note", hours(number))

    assert [kept.when for kept in history.entries()] == [hours(n) for n in (4, 3, 2)]
    assert home.exists()


def test_only_so_much(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(gzip.compress(b"{}", 6, mtime=0))
    monkeypatch.setattr(history, "MOST_BYTES", 2 * size)
    for number in range(3):
        history.keep(b"{}", "note", hours(number))

    assert [kept.when for kept in history.entries()] == [hours(2), hours(1)]
    assert home.exists()


def test_old_ones_and_drafts_of_the_dead_go(home: Path) -> None:
    old = history.keep(b"{}", "risks", NOON)
    draft, fresh, foreign = (home / "reports" / n for n in (".a", ".b", "notes.txt"))
    for file in (draft, fresh, foreign):
        file.touch()
    for file, age in ((old, history.OLDEST + 60), (draft, history.ABANDONED + 60)):
        os.utime(file, (time.time() - age, time.time() - age))
    os.utime(foreign, (0, 0))

    history.keep(b"{}", "note", hours(1))

    assert not old.exists()
    assert not draft.exists()
    assert fresh.exists()
    assert foreign.exists()
    assert len(history.entries()) == 1


def test_a_damaged_one_says_so(home: Path) -> None:
    path = history.keep(b"{}", "note", NOON)
    path.write_bytes(b"junk")
    (kept,) = history.entries()

    with pytest.raises(Unreadable, match="damaged"):
        history.read(kept)
    path.unlink()
    with pytest.raises(Unreadable, match="No such file"):
        history.read(kept)
    assert home.exists()


def test_a_bomb_is_cut_short(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history.keep(b"x" * 5000, "note", NOON)
    (kept,) = history.entries()
    monkeypatch.setattr(history, "LARGEST", 1000)

    assert len(history.as_kept(kept)) == 1000
    assert home.exists()


def test_names_of_others_are_no_reports(home: Path) -> None:
    folder = home / "reports"
    folder.mkdir(parents=True)
    for name in ("x", "20261399T000000Z-note-abcdef.json.gz", "20260131T120000Z"):
        (folder / name).touch()

    assert history.entries() == []


def test_nothing_is_kept_yet(home: Path) -> None:
    assert history.entries() == []
    assert not home.exists()


def test_a_folder_that_nobody_can_write(home: Path) -> None:
    home.parent.mkdir()
    home.write_text("")

    with pytest.raises(history.Unkept, match=r"reports: (Not a directory|File exists)"):
        history.keep(b"{}", "note", NOON)
