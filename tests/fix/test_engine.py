"""Plans, journal and the way back, on files of a temporary directory."""

import os
from pathlib import Path

import pytest

from pipedoctor.fix import engine, files, undo
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Entry, State
from pipedoctor.fix.gauge import Gauge, started
from pipedoctor.fix.lock import busy, locked
from pipedoctor.fix.plan import Failed, Refused, Remove, Run, Write
from tests.fix.workshop import carried_out, nothing, plan, proved, touching


def test_steps_are_done_in_order_and_taken_back(shop: Workshop, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "a/b/new"
    old.write_bytes(b"before")
    old.chmod(0o640)
    steps = (
        Write(path=str(old), content=b"after", found=b"before"),
        Write(path=str(new), content=b"new", found=None),
        touching(tmp_path / "ran"),
    )

    entry = carried_out(shop, *steps)

    assert entry.state is State.PROVED
    assert (old.read_bytes(), new.read_bytes()) == (b"after", b"new")
    assert old.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "ran").exists()
    assert undo.obstacles(entry) == undo.hard_obstacles(entry) == []

    back = undo.take_back(shop, entry, undo.UNDO)

    assert (back.state, back.reason) == (State.UNDONE, "")
    assert old.read_bytes() == b"before"
    assert old.stat().st_mode & 0o777 == 0o640
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_others_use_meanwhile_stays(
    shop: Workshop, tmp_path: Path
) -> None:
    new = tmp_path / "a/new"
    entry = carried_out(shop, Write(path=str(new), content=b"x", found=None))
    (tmp_path / "a/theirs").touch()

    assert undo.take_back(shop, entry, undo.UNDO).state is State.UNDONE
    assert (tmp_path / "a/theirs").exists()
    assert not new.exists()


def test_attributes_of_a_file_are_kept(shop: Workshop, old: Path) -> None:
    try:
        os.setxattr(old, "user.label", b"ours")
    except OSError:
        pytest.skip("no extended attributes on this file system")

    carried_out(shop, Write(path=str(old), content=b"after", found=b"before"))

    assert os.getxattr(old, "user.label") == b"ours"


def test_a_file_that_changed_after_the_plan_is_left_alone(
    shop: Workshop, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"theirs")
    write = Write(path=str(old), content=b"after", found=b"before")

    with pytest.raises(Failed, match="changed after the plan was made"):
        engine.begin(shop, plan(write))

    assert shop.journal.entries() == []
    shop.journal.sweep()
    assert [p.name for p in shop.journal.root.iterdir()] == ["lock"]


def test_a_file_that_changed_after_its_entry_is_left_alone(
    shop: Workshop, old: Path
) -> None:
    whole = plan(Write(path=str(old), content=b"after", found=b"before"))
    entry = engine.begin(shop, whole)
    old.write_bytes(b"theirs")

    with pytest.raises(Failed, match="changed by somebody else just now"):
        engine.carry_out(shop, entry, whole, nothing, proved)
    found = shop.journal.find(entry.id)
    assert isinstance(found, Entry)
    back = undo.take_back(shop, found, undo.ROLL_BACK, reason="why", ours=True)

    assert old.read_bytes() == b"theirs"
    assert back.state is State.FAILED
    assert back.reason.startswith("why; ")


def test_what_is_no_regular_file_is_no_file_of_ours(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(Failed, match="is not a regular file"):
        files.content_of(str(tmp_path / "pipe"))


def test_a_place_that_cannot_be_written(shop: Workshop) -> None:
    whole = plan(Write(path="/proc/new", content=b"x", found=None))
    entry = engine.begin(shop, whole)

    with pytest.raises(Failed, match="/proc/new cannot be replaced: No such file"):
        engine.carry_out(shop, entry, whole, nothing, proved)


@pytest.mark.parametrize("damage", [None, b"other"])
def test_a_damaged_backup_is_not_put_back(
    shop: Workshop, old: Path, damage: bytes | None
) -> None:
    write = Write(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write)
    backup = shop.journal.root / entry.id / "0.backup"
    if damage is None:
        backup.unlink()
    else:
        backup.write_bytes(damage)

    back = undo.take_back(shop, entry, undo.UNDO)

    assert back.state is State.FAILED
    assert "is missing or damaged" in back.reason
    assert old.read_bytes() == b"after"


def test_what_others_wrote_is_kept_when_it_is_forced(shop: Workshop, old: Path) -> None:
    write = Write(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write)
    old.write_bytes(b"theirs")

    assert len(undo.obstacles(entry)) == 1
    assert undo.take_back(shop, entry, undo.UNDO).state is State.FAILED
    assert old.read_bytes() == b"theirs"
    assert undo.take_back(shop, entry, undo.UNDO, force=True).state is State.UNDONE
    assert old.read_bytes() == b"before"
    (kept,) = (shop.journal.root / entry.id).glob("overwritten-*")
    assert kept.read_bytes() == b"theirs"


def test_a_file_that_others_removed_comes_back_when_it_is_forced(
    shop: Workshop, old: Path
) -> None:
    write = Write(path=str(old), content=b"after", found=b"before")
    entry = carried_out(shop, write)
    old.unlink()

    assert undo.take_back(shop, entry, undo.UNDO, force=True).state is State.UNDONE
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
def test_commands_that_fail(shop: Workshop, argv: tuple[str, ...], why: str) -> None:
    with pytest.raises(Failed) as failed:
        engine.run(argv, shop.lock, patience=0.1 if argv[0] == "sleep" else 9)

    assert str(failed.value).startswith(why)


def test_a_command_that_outlives_us_keeps_the_lock(
    shop: Workshop, tmp_path: Path
) -> None:
    engine.run(("sh", "-c", "sleep 1 >/dev/null 2>&1 &"), shop.lock)
    os.close(os.dup(shop.lock))

    assert busy(shop.journal.root)
    with pytest.raises(Refused, match="another fix is under way"):
        locked(shop.journal.root, 0.1).__enter__()
    assert not busy(tmp_path)


def test_a_value_that_did_not_arrive(shop: Workshop) -> None:
    gauge = Gauge(kind="nofile", key=f"{os.getpid()}:{started(os.getpid())}")
    step = Run(argv=("true",), gauge=gauge, before=gauge.read() or "", after="1:1")

    with pytest.raises(Failed, match=r"shows .*, not 1 \(at most 1\)"):
        carried_out(shop, step)


def test_a_process_that_is_gone_shows_nothing(shop: Workshop) -> None:
    gauge = Gauge(kind="nofile", key=f"{1 << 22}:1")
    step = Run(argv=("true",), gauge=gauge, before="1:1", after="2:2")

    with pytest.raises(Failed, match="shows nothing afterwards"):
        carried_out(shop, step)


def test_a_later_process_of_the_same_number_is_another() -> None:
    assert Gauge(kind="nofile", key=f"{os.getpid()}:1").read() is None


def test_an_undo_that_does_not_help_says_so(shop: Workshop) -> None:
    gauge = Gauge(kind="nofile", key=f"{os.getpid()}:{started(os.getpid())}")
    now = gauge.read() or ""
    step = Run(argv=("true",), undo=("true",), gauge=gauge, before="1:1", after=now)
    entry = carried_out(shop, step)

    back = undo.take_back(shop, entry, undo.UNDO)

    assert back.state is State.FAILED
    assert "after the undo" in back.reason


def test_a_command_without_a_way_back_is_left(shop: Workshop) -> None:
    entry = carried_out(shop, Run(argv=("true",)))

    assert undo.take_back(shop, entry, undo.UNDO).state is State.UNDONE


def test_only_what_is_still_garbage_goes(shop: Workshop, tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / name) for name in ("dead", "taken", "gone"))
    for path in paths[:2]:
        Path(path).touch()
    whole = plan(Remove(paths=paths), irreversible="gone for good")
    entry = engine.begin(shop, whole)

    def garbage() -> frozenset[str]:
        return frozenset((paths[0], paths[2]))

    entry = engine.carry_out(shop, entry, whole, garbage, proved)

    assert [Path(path).exists() for path in paths] == [False, True, False]
    assert undo.obstacles(entry) == ["gone for good"]
    assert undo.hard_obstacles(entry) == ["gone for good"]
    back = undo.take_back(shop, entry, undo.ROLL_BACK, reason="why")
    assert back.state is State.FAILED
    assert "what was removed stays removed" in back.reason


def test_a_directory_is_never_removed(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="cannot be removed"):
        engine.remove(Remove(paths=(str(tmp_path),)), frozenset((str(tmp_path),)))
