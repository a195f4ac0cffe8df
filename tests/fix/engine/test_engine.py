"""Plans, journal and the way back, on files of a temporary directory."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.fix.engine import engine, undo
from pipedoctor.fix.engine.engine import LockedJournal
from pipedoctor.fix.files.file_content import read_content
from pipedoctor.fix.journal.entry import FixState, JournalEntry
from pipedoctor.fix.journal.lock import hold_lock, is_locked
from pipedoctor.fix.plan.current_value import Gauge, read_start_time
from pipedoctor.fix.plan.plan import (
    CommandStep,
    FixRefusedError,
    RemoveStep,
    StepFailedError,
    WriteStep,
)
from tests.fix.workshop import carried_out, nothing, plan, proved, touching


def test_steps_are_done_in_order_and_taken_back(shop: LockedJournal, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "a/b/new"
    old.write_bytes(b"before")
    old.chmod(0o640)
    steps = (
        WriteStep(path=str(old), content=b"after", found=b"before"),
        WriteStep(path=str(new), content=b"new", found=None),
        touching(tmp_path / "ran"),
    )

    entry = carried_out(shop, *steps)

    assert entry.state is FixState.PROVED
    assert (old.read_bytes(), new.read_bytes()) == (b"after", b"new")
    assert old.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "ran").exists()
    assert undo.list_obstacles(entry) == undo.list_hard_obstacles(entry) == []

    back = undo.reverse_entry(shop, entry, undo.UNDO)

    assert (back.state, back.reason) == (FixState.UNDONE, "")
    assert old.read_bytes() == b"before"
    assert old.stat().st_mode & 0o777 == 0o640
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_others_use_meanwhile_stays(shop: LockedJournal, tmp_path: Path) -> None:
    new = tmp_path / "a/new"
    entry = carried_out(shop, WriteStep(path=str(new), content=b"x", found=None))
    (tmp_path / "a/theirs").touch()

    assert undo.reverse_entry(shop, entry, undo.UNDO).state is FixState.UNDONE
    assert (tmp_path / "a/theirs").exists()
    assert not new.exists()


def test_attributes_of_a_file_are_kept(shop: LockedJournal, old: Path) -> None:
    try:
        os.setxattr(old, "user.label", b"ours")
    except OSError:
        pytest.skip("no extended attributes on this file system")

    carried_out(shop, WriteStep(path=str(old), content=b"after", found=b"before"))

    assert os.getxattr(old, "user.label") == b"ours"


def test_a_file_that_changed_after_the_plan_is_left_alone(
    shop: LockedJournal, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"theirs")
    write = WriteStep(path=str(old), content=b"after", found=b"before")

    with pytest.raises(StepFailedError, match="changed after the plan was made"):
        engine.record_plan(shop, plan(write))

    assert shop.journal.read_entries() == []
    shop.journal.remove_drafts()
    assert [p.name for p in shop.journal.root.iterdir()] == ["lock"]


def test_a_file_that_changed_after_its_entry_is_left_alone(shop: LockedJournal, old: Path) -> None:
    whole = plan(WriteStep(path=str(old), content=b"after", found=b"before"))
    entry = engine.record_plan(shop, whole)
    old.write_bytes(b"theirs")

    with pytest.raises(StepFailedError, match="changed by another process"):
        engine.execute_plan(shop, entry, whole, nothing, proved)
    found = shop.journal.find_entry(entry.id)
    assert isinstance(found, JournalEntry)
    back = undo.reverse_entry(shop, found, undo.ROLL_BACK, reason="why", own_change=True)

    assert old.read_bytes() == b"theirs"
    assert back.state is FixState.FAILED
    assert back.reason.startswith("why; ")


def test_what_is_no_regular_file_is_no_file_of_ours(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(StepFailedError, match="is not a regular file"):
        read_content(str(tmp_path / "pipe"))


def test_a_place_that_cannot_be_written(shop: LockedJournal) -> None:
    whole = plan(WriteStep(path="/proc/new", content=b"x", found=None))
    entry = engine.record_plan(shop, whole)

    with pytest.raises(StepFailedError, match="/proc/new cannot be replaced: No such file"):
        engine.execute_plan(shop, entry, whole, nothing, proved)


@pytest.mark.parametrize("damage", [None, b"other"])
def test_a_damaged_backup_is_not_put_back(
    shop: LockedJournal, old: Path, damage: bytes | None
) -> None:
    write = WriteStep(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write)
    backup = shop.journal.root / entry.id / "0.backup"
    if damage is None:
        backup.unlink()
    else:
        backup.write_bytes(damage)

    back = undo.reverse_entry(shop, entry, undo.UNDO)

    assert back.state is FixState.FAILED
    assert "is missing or damaged" in back.reason
    assert old.read_bytes() == b"after"


def test_what_others_wrote_is_kept_when_it_is_forced(shop: LockedJournal, old: Path) -> None:
    write = WriteStep(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write)
    old.write_bytes(b"theirs")

    assert len(undo.list_obstacles(entry)) == 1
    assert undo.reverse_entry(shop, entry, undo.UNDO).state is FixState.FAILED
    assert old.read_bytes() == b"theirs"
    assert undo.reverse_entry(shop, entry, undo.UNDO, force=True).state is FixState.UNDONE
    assert old.read_bytes() == b"before"
    (kept,) = (shop.journal.root / entry.id).glob("overwritten-*")
    assert kept.read_bytes() == b"theirs"


def test_a_file_that_others_removed_comes_back_when_it_is_forced(
    shop: LockedJournal, old: Path
) -> None:
    write = WriteStep(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write)
    old.unlink()

    assert undo.reverse_entry(shop, entry, undo.UNDO, force=True).state is FixState.UNDONE
    assert old.read_bytes() == b"before"


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("false",), "false failed (exit 1): no message"),
        (("sh", "-c", "echo why; exit 3"), "sh failed (exit 3): why"),
        (("sleep", "9"), "sleep did not end within 0.1 s"),
        (("no-such-program",), "no-such-program cannot be run: No such file"),
    ],
)
def test_commands_that_fail(shop: LockedJournal, argv: tuple[str, ...], why: str) -> None:
    with pytest.raises(StepFailedError) as failed:
        engine.run_command(argv, shop.lock, timeout=0.1 if argv[0] == "sleep" else 9)

    assert str(failed.value).startswith(why)


def test_a_command_that_outlives_us_keeps_the_lock(shop: LockedJournal) -> None:
    engine.run_command(("sh", "-c", "sleep 1 >/dev/null 2>&1 &"), shop.lock)
    os.close(os.dup(shop.lock))

    assert is_locked(shop.journal.folder)
    with pytest.raises(FixRefusedError, match="another fix is running"):
        hold_lock(shop.journal.folder, 0.1).__enter__()
    with shop.journal.folder.open_folder("other", create=True) as other:
        assert not is_locked(other)


def test_a_value_that_did_not_arrive(shop: LockedJournal) -> None:
    gauge = Gauge(kind="nofile", key=f"{os.getpid()}:{read_start_time(os.getpid())}")
    step = CommandStep(argv=("true",), gauge=gauge, before=gauge.read() or "", after="1:1")

    with pytest.raises(StepFailedError, match=r"shows .*, not 1 \(at most 1\)"):
        carried_out(shop, step)


def test_a_process_that_is_gone_shows_nothing(shop: LockedJournal) -> None:
    gauge = Gauge(kind="nofile", key=f"{1 << 22}:1")
    step = CommandStep(argv=("true",), gauge=gauge, before="1:1", after="2:2")

    with pytest.raises(StepFailedError, match="shows nothing afterwards"):
        carried_out(shop, step)


def test_a_later_process_of_the_same_number_is_another() -> None:
    assert Gauge(kind="nofile", key=f"{os.getpid()}:1").read() is None


@pytest.fixture
def sleeper() -> Iterator[int]:
    """Another process, to set values of."""
    process = subprocess.Popen(["sleep", "60"])
    yield process.pid
    process.kill()
    process.wait()


def test_an_undo_that_does_not_help_says_so(shop: LockedJournal, sleeper: int) -> None:
    gauge = Gauge(kind="affinity", key=f"{sleeper}:{read_start_time(sleeper)}")
    now = gauge.read() or ""
    step = CommandStep(argv=("true",), undo=("true",), gauge=gauge, before=f"{now},63", after=now)
    entry = carried_out(shop, step)

    back = undo.reverse_entry(shop, entry, undo.UNDO)

    assert back.state is FixState.FAILED
    assert "after the undo" in back.reason


def test_an_undo_is_built_from_types_and_never_run_as_written(
    shop: LockedJournal, sleeper: int, tmp_path: Path
) -> None:
    gauge = Gauge(kind="nofile", key=f"{sleeper}:{read_start_time(sleeper)}")
    before = gauge.read() or ""
    hard = before.partition(":")[2]
    run = ("prlimit", "--pid", str(sleeper), f"--nofile=99:{hard}")
    written = ("touch", str(tmp_path / "ran"))
    step = CommandStep(argv=run, undo=written, gauge=gauge, before=before, after=f"99:{hard}")
    entry = carried_out(shop, step)

    assert undo.reverse_entry(shop, entry, undo.UNDO).state is FixState.UNDONE
    assert gauge.read() == before
    assert not (tmp_path / "ran").exists()


def test_a_command_without_a_way_back_is_left(shop: LockedJournal) -> None:
    entry = carried_out(shop, CommandStep(argv=("true",)))

    assert undo.reverse_entry(shop, entry, undo.UNDO).state is FixState.UNDONE


def test_only_what_is_still_garbage_goes(shop: LockedJournal, tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / name) for name in ("dead", "taken", "gone"))
    for path in paths[:2]:
        Path(path).touch()
    whole = plan(RemoveStep(paths=paths), irreversible="gone for good")
    entry = engine.record_plan(shop, whole)

    def garbage() -> frozenset[str]:
        return frozenset((paths[0], paths[2]))

    entry = engine.execute_plan(shop, entry, whole, garbage, proved)

    assert [Path(path).exists() for path in paths] == [False, True, False]
    assert undo.list_obstacles(entry) == ["gone for good"]
    assert undo.list_hard_obstacles(entry) == ["gone for good"]
    back = undo.reverse_entry(shop, entry, undo.ROLL_BACK, reason="why")
    assert back.state is FixState.FAILED
    assert "removed files cannot be restored" in back.reason


def test_a_directory_is_never_removed(tmp_path: Path) -> None:
    with pytest.raises(StepFailedError, match="cannot be removed"):
        engine.remove_garbage(RemoveStep(paths=(str(tmp_path),)), frozenset((str(tmp_path),)))
