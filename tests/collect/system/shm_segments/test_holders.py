"""Files in /dev/shm: whose are they, and who holds them?"""

import os
from pathlib import Path

import pytest

from pipedoctor.collect.system import shm_segments
from pipedoctor.collect.system.shm_segments import (
    SegmentScan,
)
from pipedoctor.facts import Segment
from tests.collect.system.shm_segments.conftest import DEAD, look, process


def only(seen: SegmentScan) -> Segment:
    (segment,) = seen.segments
    return segment


def test_nothing_there_reads_no_process(tmp_path: Path) -> None:
    (tmp_path / "shm").mkdir()

    assert look(tmp_path / "shm", tmp_path / "no proc") == SegmentScan()
    assert look(tmp_path / "no shm", tmp_path / "no proc") == SegmentScan()


def test_a_dead_owner_and_nobody_who_holds_it(shm: Path, proc: Path) -> None:
    seen = only(look(shm, proc))

    assert seen == Segment(
        path=f"/dev/shm/{DEAD}",
        size=(shm / DEAD).stat().st_blocks * 512,
        uid=os.getuid(),
        pid=4711,
        owner_alive=False,
        held=False,
        own=True,
    )
    assert seen.size >= 5000


@pytest.mark.parametrize("state", ["R", "S", "D", "T"])
def test_a_live_owner(shm: Path, proc: Path, state: str) -> None:
    process(proc, 4711, state=state)

    assert only(look(shm, proc)).owner_alive is True


@pytest.mark.parametrize("state", ["Z", "X"])
def test_a_zombie_lives_no_more(shm: Path, proc: Path, state: str) -> None:
    process(proc, 4711, state=state)
    seen = only(look(shm, proc))

    assert (seen.owner_alive, seen.held) == (False, False)


def test_a_map_holds(shm: Path, proc: Path) -> None:
    line = f"7f-8f rw-s 00000000 00:1b 7 /dev/shm/{DEAD}\n7f-8f rw-p 0 00:00 0\n"
    process(proc, 99, maps=line)

    assert only(look(shm, proc)).held is True


def test_a_descriptor_holds(shm: Path, proc: Path) -> None:
    (process(proc, 99) / "fd/5").symlink_to(f"/dev/shm/{DEAD}")

    assert only(look(shm, proc)).held is True


@pytest.mark.parametrize("name", [f"{DEAD} (deleted)", f"{DEAD}1", "torch_4711_1_"])
def test_another_file_does_not_hold(shm: Path, proc: Path, name: str) -> None:
    folder = process(proc, 99, maps=f"7f-8f rw-s 0 00:1b 7 /dev/shm/{name}\n")
    (folder / "fd/5").symlink_to(f"/dev/shm/{name}")

    assert only(look(shm, proc)).held is False


def test_kernel_threads_are_passed_over(shm: Path, proc: Path) -> None:
    folder = process(proc, 99, flags=0x00200040)
    (folder / "maps").unlink()
    (folder / "maps").mkdir()

    assert only(look(shm, proc)).held is False


def unreadable(folder: Path) -> None:
    """Root reads everything; but nobody reads a folder as a file."""
    (folder / "maps").unlink()
    (folder / "maps").mkdir()


def test_who_cannot_be_seen_may_hold_it(shm: Path, proc: Path) -> None:
    unreadable(process(proc, 99))

    assert only(look(shm, proc)).held is None


def test_who_ended_meanwhile_holds_nothing(shm: Path, proc: Path) -> None:
    (process(proc, 99) / "maps").unlink()

    assert only(look(shm, proc)).held is False


def test_the_machines_first_process_may_hide(shm: Path, proc: Path) -> None:
    unreadable(proc / "1")

    assert only(look(shm, proc)).held is False
    assert only(look(shm, proc, initial=False, private=True)).held is None


def test_a_view_without_the_first_process_is_not_whole(shm: Path, tmp_path: Path) -> None:
    proc = tmp_path / "hidden"
    (proc / "self/ns").mkdir(parents=True)
    seen = only(look(shm, proc))

    assert (seen.owner_alive, seen.held) == (None, None)
    assert only(look(shm, proc, initial=False, private=True)).held is None


def test_one_that_sleeps_in_the_kernel_is_not_read(shm: Path, proc: Path) -> None:
    unreadable(process(proc, 99, state="D"))

    assert only(look(shm, proc)).held is None


@pytest.mark.parametrize("text", ["", "99 (a)", "99 (a) S 1 2 3 4 5", "9 (a) S 1 2 3 4 5 x"])
def test_who_tells_nonsense_is_read_like_others(shm: Path, proc: Path, text: str) -> None:
    folder = process(proc, 99)
    (folder / "stat").write_text(text)
    assert only(look(shm, proc)).held is False

    unreadable(folder)
    assert only(look(shm, proc)).held is None


def test_who_hides_its_state_may_live_and_hold(shm: Path, proc: Path) -> None:
    folder = process(proc, 4711)
    (folder / "stat").unlink()
    (folder / "stat").mkdir()
    unreadable(folder)
    seen = only(look(shm, proc))

    assert (seen.owner_alive, seen.held) == (True, None)


@pytest.mark.parametrize(
    ("mode", "users", "held"),
    [
        (0o600, "4242\t4242\t4242\t4242", False),
        (0o600, f"0\t{os.getuid()}\t0\t0", None),
        (0o644, "4242\t4242\t4242\t4242", None),
        (0o600, "", None),
    ],
)
def test_others_cannot_hold_a_private_file(
    shm: Path, proc: Path, mode: int, users: str, held: bool | None
) -> None:
    (shm / DEAD).chmod(mode)
    folder = process(proc, 99)
    unreadable(folder)
    (folder / "status").write_text(f"Name:\ta\nUid:\t{users}\nGid:\t1\n")

    assert only(look(shm, proc)).held is held


def test_when_time_is_up_the_rest_may_hold_it(
    shm: Path, proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shm_segments, "SCAN_TIMEOUT", -1.0)

    assert only(look(shm, proc)).held is None


def test_time_for_sleepers_is_none_of_the_others(
    shm: Path, proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shm_segments, "SLEEPER_TIMEOUT", -1.0)
    process(proc, 98)

    assert only(look(shm, proc)).held is False

    process(proc, 99, state="D")
    assert only(look(shm, proc)).held is None


@pytest.mark.parametrize(
    ("initial", "private", "alive", "held"),
    [
        (True, False, False, False),
        (False, True, None, False),
        (False, False, None, None),
    ],
)
def test_what_can_be_said_depends_on_what_proc_shows(
    shm: Path,
    proc: Path,
    initial: bool,
    private: bool,
    alive: bool | None,
    held: bool | None,
) -> None:
    seen = only(look(shm, proc, initial=initial, private=private))

    assert (seen.owner_alive, seen.held) == (alive, held)


@pytest.mark.parametrize(
    ("name", "listed", "pid"),
    [
        ("torch_7_1234_0", True, 7),
        ("torch_7_x", True, 7),
        ("torch_0_1_0", True, None),
        ("torch_x_1_0", True, None),
        ("torch_7_a b", True, None),
        ("psm_1a2b", True, None),
        ("sem.mp-x1", True, None),
        ("mp-x1", True, None),
        ("nccl-aBc", True, None),
        ("PostgreSQL.1", False, None),
        ("my_torch_7_1_0", False, None),
    ],
)
def test_names(tmp_path: Path, proc: Path, name: str, listed: bool, pid: int | None) -> None:
    (tmp_path / "shm").mkdir()
    (tmp_path / "shm" / name).write_text("x")
    seen = look(tmp_path / "shm", proc)

    assert len(seen.segments) == listed
    assert all(segment.pid == pid for segment in seen.segments)
    assert all(segment.owner_alive is (pid and False) for segment in seen.segments)


def test_names_of_any_bytes(tmp_path: Path, proc: Path) -> None:
    (tmp_path / "shm").mkdir()
    with open(os.fsencode(tmp_path / "shm") + b"/psm_\xff\x1b", "wb"):  # noqa: PTH123  (bytes)
        pass

    assert only(look(tmp_path / "shm", proc)).path == "/dev/shm/psm_\\xff\x1b"


def test_only_regular_files_count(shm: Path, proc: Path) -> None:
    (shm / "psm_link").symlink_to("/etc/passwd")
    (shm / "psm_folder").mkdir()
    os.mkfifo(shm / "psm_pipe")

    assert only(look(shm, proc)).pid == 4711


def test_largest_first_and_only_so_many(
    shm: Path, proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shm / "psm_big").write_bytes(b"x" * 100_000)
    (shm / "psm_small").write_bytes(b"x")
    monkeypatch.setattr(shm_segments, "MAX_SEGMENTS", 2)

    seen = look(shm, proc)

    assert [one.path for one in seen.segments] == [
        "/dev/shm/psm_big",
        f"/dev/shm/{DEAD}",
    ]
    assert seen.left_out == 1
