"""Who may fix what, where it is noted, and two at once."""

import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import Ward

pytestmark = pytest.mark.root


def test_not_root_gets_the_line_that_works(
    ward: Ward, nobody: int, snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("--shm", "128m", "--yes", uid=nobody)

    assert done.code == 1
    assert done.err == snapshot
    assert (ward.shm(), ward.states()) == (64, [])
    line = next(la for la in done.out.splitlines() if la.startswith("  sudo "))
    assert ward.run(*shlex.split(line)[1:]).code == 0
    assert ward.shm() == 128


@pytest.mark.extended
def test_not_root_may_look(ward: Ward, nobody: int) -> None:
    assert ward.fix("--shm", "128m", "--dry-run", uid=nobody).code == 0
    ward.fix("--shm", "128m", "--yes")

    assert ward.states(uid=nobody) == ["proved"]
    undo = ward.fix("--undo", "--yes", uid=nobody)
    assert undo.code == 1
    assert "  sudo " in undo.out


def test_the_journal_goes_where_the_user_keeps_state(ward: Ward, tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}

    assert ward.fix("--shm", "128m", "--yes", env=state).code == 0
    assert ward.states() == []
    assert ward.states(env=state) == ["proved"]
    assert list((tmp_path / "state/pipedoctor/journal").glob("*/entry.json"))


@pytest.mark.extended
def test_a_relative_state_home_does_not_count(ward: Ward) -> None:
    assert ward.fix("--shm", "128m", "--yes", env={"XDG_STATE_HOME": "x"}).code == 0
    assert ward.states() == ["proved"]


def test_without_the_right_to_mount_the_launcher_is_told(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    weak = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--")
    program = (sys.executable, "-m", "pipedoctor", "fix")

    done = ward.run(*weak, *program, "--shm", "5G", "--yes")

    assert done.code == 1
    assert done.err == snapshot
    assert ward.states() == []


def test_where_no_journal_can_be_kept_nothing_changes(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("--shm", "128m", "--yes", env={"XDG_STATE_HOME": "/proc"})

    assert done.code == 1
    assert done.err == snapshot
    assert ward.shm() == 64


@pytest.mark.extended
def test_two_at_once(ward: Ward) -> None:
    argv = [
        *ward.enter,
        sys.executable,
        "-m",
        "pipedoctor",
        "fix",
        "--shm",
        "128m",
        "-y",
    ]
    both = [subprocess.Popen(argv, env=ward.environ, stdout=subprocess.PIPE) for _ in range(2)]

    said = sorted(process.communicate(timeout=60)[0].decode() for process in both)

    assert [process.returncode for process in both] == [0, 0]
    assert "done and proved" in said[0]
    assert "nothing to do" in said[1]
    assert ward.states() == ["proved"]


def test_the_second_waits_and_then_names_the_first(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    hold = (
        "import fcntl, sys, time; f = open('/var/lib/pipedoctor/journal/lock', 'r+');"
        "fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([*ward.enter, sys.executable, "-c", hold], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    began = time.monotonic()

    done = ward.fix("--shm", "256m", "--yes")

    holder.kill()
    holder.communicate()
    assert done.code == 1
    assert "another fix is running (process " in done.err
    assert time.monotonic() - began > 3
    assert ward.shm() == 128


def test_another_mount_namespace_is_not_ours_to_set(ward: Ward) -> None:
    other = subprocess.Popen(["unshare", "--mount", "sleep", "60"])
    time.sleep(0.3)

    done = ward.fix("--shm", "128m", "--yes", "--pid", str(other.pid))

    other.kill()
    other.wait()
    assert done.code == 1
    assert f"sudo nsenter --target {other.pid} --mount -- mount -o" in done.out
