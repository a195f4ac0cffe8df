"""Files in the journal that are links, pipes, huge or no entries: none is followed or read."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.fix.journal import journals
from pipedoctor.fix.journal.entry import DamagedEntry, JournalEntry
from pipedoctor.fix.plan.plan import StepFailedError, WriteStep
from tests.fix.journal_trust.conftest import fix, noted, working
from tests.fix.workshop import carried_out


def test_what_is_no_entry_is_named_and_left_alone(book: Path, tmp_path: Path) -> None:
    """A folder of the user's in it, and one that 0.1 would have swept away."""
    (book / "mine").mkdir()
    (book / "mine/thesis").write_text("years")
    (book / "2026-01-01-7").mkdir()
    (book / "2026-01-01-7/thesis").write_text("years")
    (book / "2026-01-01-8").symlink_to(tmp_path)
    (book / ".pipedoctor-0123456789abcdef").mkdir()
    (book / ".pipedoctor-0123456789abcdef/thesis").write_text("years")

    noted(tmp_path)
    with working() as shop:
        shop.journal.remove_drafts()
    done = fix("--history", "--format", "json")

    assert len(list(book.glob("**/thesis"))) == 3
    foreign = {item["name"]: item["reason"] for item in json.loads(done.output)["foreign"]}
    assert foreign == {
        "mine": "not an entry of the journal",
        "2026-01-01-7": "it has no entry.json",
        "2026-01-01-8": "it is a link",
    }
    assert f"left alone: {book}/mine" in fix("--history").output


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("linked", ["pipedoctor", "pipedoctor/journal"])
def test_a_linked_journal_is_not_followed(
    state: Path, tmp_path: Path, machine: Path, linked: str
) -> None:
    theirs = tmp_path / "theirs"
    (theirs / "journal/2026-01-01-1").mkdir(parents=True)
    theirs.chmod(0o755)
    (state / linked).parent.mkdir(parents=True)
    (state / linked).symlink_to(theirs)

    if os.geteuid():
        with pytest.raises(StepFailedError, match="is a link"):
            journals.find_writable()
    else:
        assert journals.find_writable().root == machine
        noted(tmp_path)
    assert (theirs / "journal/2026-01-01-1").exists()
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o755
    assert [p.name for p in theirs.iterdir()] == ["journal"]


def test_a_linked_lock_is_not_written(book: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    (book / "lock").symlink_to(victim)

    with pytest.raises(OSError, match="is not a regular file"), working():
        pass
    (book / "lock").unlink()
    os.link(victim, book / "lock")
    with pytest.raises(OSError, match="has another name"), working():
        pass

    assert victim.read_text() == "theirs"


def make_sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


ODD_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "a sparse terabyte": make_sparse,
    "a folder": Path.mkdir,
    "not for us": lambda path: path.symlink_to("/nowhere"),
    "nested too deep": lambda path: path.write_bytes(b'{"id":' + b"[" * 100_000),
}


@pytest.mark.parametrize("make", ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_entry_neither_hangs_nor_fills_anything(
    book: Path, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    good = noted(tmp_path)
    odd = book / "2026-01-01-1"
    odd.mkdir()
    make(odd / "entry.json")

    entries = journals.find_writable().read_entries()

    assert [(type(e), e.id) for e in entries] == [
        (DamagedEntry, odd.name),
        (JournalEntry, good.name),
    ]
    assert fix("--undo", "--yes").exit_code == 0


@pytest.mark.parametrize("make", ODD_FILES.values(), ids=ODD_FILES)
def test_an_odd_backup_is_not_restored(
    book: Path, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    entry = noted(tmp_path)
    (entry / "0.backup").unlink()
    make(entry / "0.backup")

    assert fix("--undo", "--yes").exit_code == 1
    assert (tmp_path / "file").read_bytes() == b"after"
    assert book.exists()


@pytest.mark.usefixtures("book")
def test_the_folder_stays_the_one_that_was_verified(state: Path, tmp_path: Path) -> None:
    """Replaced while it is open, it is not followed."""
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with working() as shop:
        (state / "pipedoctor").rename(tmp_path / "moved")
        (state / "pipedoctor/journal").mkdir(parents=True)
        carried_out(shop, WriteStep(path=str(path), content=b"after", found=b"before"))

    assert list((state / "pipedoctor/journal").iterdir()) == []
    assert list((tmp_path / "moved/journal").glob("*/entry.json"))
