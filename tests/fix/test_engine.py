"""Plans, journal and the way back, on files of a temporary directory."""

import dataclasses
import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.fix import engine, files, undo
from pipedoctor.fix.engine import Workshop
from pipedoctor.fix.entry import Entry, State
from pipedoctor.fix.gauge import Gauge, started
from pipedoctor.fix.journal import Journal
from pipedoctor.fix.lock import busy, locked
from pipedoctor.fix.plan import Failed, Plan, Refused, Remove, Run, Step, Write


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    journal = Journal(tmp_path / "journal")
    journal.prepare()
    with locked(journal.root) as lock:
        yield Workshop(journal=journal, lock=lock)


def plan(*steps: Step, irreversible: str = "") -> Plan:
    return Plan(
        subject="something",
        before="ill",
        after="well",
        steps=steps,
        lasts="for good",
        irreversible=irreversible,
    )


def touching(path: Path) -> Run:
    return Run(argv=("touch", str(path)), undo=("rm", "-f", str(path)))


def nothing() -> frozenset[str]:
    return frozenset()


def proved() -> str:
    return ""


def carried_out(shop: Workshop, *steps: Step) -> Entry:
    return carried_out_of(shop, plan(*steps))


def carried_out_of(shop: Workshop, whole: Plan) -> Entry:
    entry = engine.begin(shop, whole)
    return engine.carry_out(shop, entry, whole, nothing, proved)


def again(_: str) -> tuple[engine.Garbage, engine.Proof]:
    return nothing, proved


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


def test_attributes_of_a_file_are_kept(shop: Workshop, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"before")
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
    shop: Workshop, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"before")
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
    shop: Workshop, tmp_path: Path, damage: bytes | None
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"before")
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


def test_what_others_wrote_is_kept_when_it_is_forced(
    shop: Workshop, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"before")
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
    shop: Workshop, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"before")
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
    shop: Workshop, tmp_path: Path, state: State, end: State
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"before")
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
