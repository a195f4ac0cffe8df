"""Reports that are kept: few, young, small, private."""

import datetime as dt
import gzip
import os
import stat
import time
from pathlib import Path

import pytest

from pipedoctor.facts import UnreadableError
from pipedoctor.privacy.alias_book import AliasStore
from pipedoctor.report import archive
from pipedoctor.runtime.verified_folder import DRAFT_MAX_AGE

NOON = dt.datetime(2026, 1, 31, 12, tzinfo=dt.timezone.utc)


def hours(number: int) -> dt.datetime:
    return NOON + dt.timedelta(hours=number)


def test_what_is_kept_is_listed_and_read(home: Path) -> None:
    AliasStore().reserve_numbers({("user", "alice"): 1})
    archive.save_report(b'{"x": "<user-1>"}', "breaks", NOON)
    newer = archive.save_report(b"{}", "", hours(1))

    first, second = archive.list_reports()

    assert (first.created, first.path, first.worst_severity) == (
        hours(1),
        newer,
        "fine",
    )
    assert (second.created, second.worst_severity) == (NOON, "breaks")
    assert archive.read_restored(second) == b'{"x": "alice"}'
    assert archive.read_redacted(second) == b'{"x": "<user-1>"}'
    assert stat.S_IMODE(newer.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "reports").stat().st_mode) == 0o700


def test_only_so_many(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_REPORTS", 3)
    for number in range(5):
        archive.save_report(b"{}", "note", hours(number))

    assert [kept.created for kept in archive.list_reports()] == [hours(n) for n in (4, 3, 2)]
    assert home.exists()


def test_only_so_much(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(gzip.compress(b"{}", 6, mtime=0))
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 2 * size)
    for number in range(3):
        archive.save_report(b"{}", "note", hours(number))

    assert [kept.created for kept in archive.list_reports()] == [hours(2), hours(1)]
    assert home.exists()


def test_old_ones_and_drafts_of_the_dead_go(home: Path) -> None:
    old = archive.save_report(b"{}", "risks", NOON)
    names = (".pipedoctor-" + 16 * "a", ".pipedoctor-" + 16 * "b", ".mine", "notes.txt")
    draft, fresh, hidden, foreign = (home / "reports" / name for name in names)
    for file in (draft, fresh, hidden, foreign):
        file.touch()
    for file, age in (
        (old, archive.MAX_AGE + 60),
        (draft, DRAFT_MAX_AGE + 60),
    ):
        os.utime(file, (time.time() - age, time.time() - age))
    for file in (hidden, foreign):
        os.utime(file, (0, 0))

    archive.save_report(b"{}", "note", hours(1))

    assert not old.exists()
    assert not draft.exists()
    assert fresh.exists()
    assert hidden.exists()
    assert foreign.exists()
    assert len(archive.list_reports()) == 1


def test_a_damaged_one_says_so(home: Path) -> None:
    path = archive.save_report(b"{}", "note", NOON)
    path.write_bytes(b"junk")
    (kept,) = archive.list_reports()

    with pytest.raises(UnreadableError, match="damaged"):
        archive.read_restored(kept)
    path.unlink()
    with pytest.raises(UnreadableError, match="No such file"):
        archive.read_restored(kept)
    assert home.exists()


def test_a_bomb_is_cut_short(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.save_report(b"x" * 5000, "note", NOON)
    (kept,) = archive.list_reports()
    monkeypatch.setattr(archive, "MAX_REPORT_BYTES", 1000)

    assert len(archive.read_redacted(kept)) == 1000
    assert home.exists()


def test_names_of_others_are_no_reports(home: Path) -> None:
    folder = home / "reports"
    folder.mkdir(parents=True)
    for name in ("x", "20261399T000000Z-note-abcdef.json.gz", "20260131T120000Z"):
        (folder / name).touch()

    assert archive.list_reports() == []


def test_nothing_is_kept_yet(home: Path) -> None:
    assert archive.list_reports() == []
    assert not home.exists()


def test_a_folder_that_nobody_can_write(home: Path) -> None:
    home.parent.mkdir()
    home.write_text("")

    with pytest.raises(archive.ArchiveError, match=r"pipedoctor: Not a directory"):
        archive.save_report(b"{}", "note", NOON)
