"""`fix NAMES`: the examination chooses, its own verdict is the proof."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import FSTAB, Ward

pytestmark = pytest.mark.root

JOB = ("--workers", "8", "--batch-bytes", "8M")


def test_a_shm_that_is_too_small_for_the_job(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("shm-too-small", *JOB, "--yes")

    assert done.code == 0, done.err
    assert "done and proved: /dev/shm" in done.out
    assert ward.shm() >= 144
    again = ward.fix("PDR701", *JOB, "--yes")
    assert again.out == snapshot
    assert ward.states() == ["proved"]
    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 64


@pytest.mark.extended
def test_for_good(ward: Ward) -> None:
    done = ward.fix("shm-too-small", *JOB, "--yes", "--persist")

    assert done.code == 0, done.err
    assert f"size={ward.shm() << 20} 0 0" in ward.fstab.read_text()
    assert ward.fix("--undo", "--yes").code == 0
    assert (ward.shm(), ward.fstab.read_text()) == (64, FSTAB)


def test_a_job_beyond_this_machine_is_refused(ward: Ward) -> None:
    done = ward.fix("shm-too-small", "--workers", "64", "--batch-bytes", "9G", "--yes")

    assert done.code == 1
    assert (ward.shm(), ward.states()) == (64, [])


def test_leaked_segments_go_and_others_stay(ward: Ward, leaked: str) -> None:
    living = f"/dev/shm/torch_{os.getpid()}_123_0"
    for path in (leaked, living, "/dev/shm/psm_1234"):
        ward.run("dd", "if=/dev/zero", f"of={path}", "bs=1M", "count=9")
    if "leaked" not in ward.fix("leaked-shm-segments", "--dry-run").out:
        pytest.skip("the processes of this machine cannot all be seen")

    for _ in range(4):
        done = ward.fix("leaked-shm-segments", "--yes")
        if "it has no remedy" not in done.out + done.err:
            break
    else:
        pytest.skip("the processes of this machine could not all be seen for long")

    assert done.code == 0, done.err
    assert f"$ rm -f -- {leaked}" in done.out
    assert "; undo:" not in done.out
    assert "undo: none, 1 file removed cannot be brought back" in done.out
    assert ward.run("ls", "/dev/shm").out.split() == [
        "psm_1234",
        f"torch_{os.getpid()}_123_0",
    ]
    undo = ward.fix("--undo", "--yes", "--force")
    assert undo.code == 1
    assert "1 file removed cannot be brought back" in undo.err


def test_an_unknown_name_is_wrong_usage(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("shm-to-small", "--yes")

    assert done.code == 2
    assert done.err == snapshot


def test_a_skipped_check_says_why(ward: Ward) -> None:
    done = ward.fix("slow-storage", "--yes")

    assert done.code in {1, 2}  # 2 while nobody has written it
    assert done.err


@pytest.mark.extended
def test_a_removal_that_was_killed_is_finished(ward: Ward, leaked: str) -> None:
    make = ("dd", "if=/dev/zero", f"of={leaked}", "bs=1M", "count=9")
    ward.run(*make)
    if ward.fix("leaked-shm-segments", "--yes").code:
        pytest.skip("the processes of this machine cannot all be seen")
    ward.leave_in_the_middle()
    ward.run(*make)

    ward.fix("--shm", "128m", "--yes")

    assert ward.run("ls", "/dev/shm").out == ""
    assert ward.states() == ["proved", "proved"]


@pytest.mark.parametrize(
    "args",
    [
        pytest.param((), id="nothing"),
        pytest.param(("--yes",), id="only how"),
        pytest.param(("--undo", "--history"), id="two at once"),
        pytest.param(("--history", "--shm", "5G"), id="history and a size"),
        pytest.param(("--undo", "x", "shm-too-small"), id="undo and a name"),
        pytest.param(("--undo", "2000-01-01-1"), id="no such fix"),
        pytest.param(("--nofile", "many"), id="no number"),
        pytest.param(("--nofile", "0"), id="none at all"),
    ],
)
def test_wrong_usage(ward: Ward, args: tuple[str, ...]) -> None:
    done = ward.run(sys.executable, "-m", "pipedoctor", "fix", *args)

    assert done.code == 2
    assert done.err


def test_two_that_set_the_same_are_refused(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("shm-too-small", *JOB, "--shm", "128m", "--yes")

    assert done.code == 1
    assert done.err == snapshot
    assert ward.states() == []


@pytest.mark.extended
def test_a_configuration_that_is_broken_stops_no_undo(ward: Ward, tmp_path: Path) -> None:
    ward.fix("--shm", "128m", "--yes")
    (tmp_path / "pipedoctor.toml").write_text("nonsense = 1\n")
    program = shlex.join((sys.executable, "-m", "pipedoctor", "fix"))
    there = f"cd {shlex.quote(str(tmp_path))} && {program}"

    assert ward.run("sh", "-c", f"{there} --shm 256m --yes").code == 2
    assert ward.run("sh", "-c", f"{there} --undo --yes").code == 0
    assert ward.shm() == 64
