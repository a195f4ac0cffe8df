"""`fix --shm` on a real, small /dev/shm."""

import os
import pty
import select
import shlex
import subprocess
import sys

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.units import GiB
from tests.fix.conftest import FSTAB, Ward

pytestmark = pytest.mark.root


def test_grows_proves_and_takes_back(ward: Ward, snapshot: SnapshotAssertion) -> None:
    done = ward.fix("--shm", "128m", "--yes")

    assert done.code == 0, done.err
    assert done.out.splitlines()[:3] == snapshot
    assert "done and proved: /dev/shm 128.0 MiB" in done.out
    assert ward.shm() == 128
    assert ward.states() == ["proved"]

    back = ward.fix("--undo", "--yes")

    assert back.code == 0, back.err
    assert "undone and proved: /dev/shm 64.0 MiB" in back.out
    assert ward.shm() == 64
    assert ward.states() == ["undone"]


def test_twice_is_once(ward: Ward, snapshot: SnapshotAssertion) -> None:
    ward.fix("--shm", "128m", "--yes")
    again = ward.fix("--shm", "128m", "--yes")

    assert again.code == 0
    assert again.out == snapshot
    assert ward.states() == ["proved"]


def test_a_process_that_is_not_there(ward: Ward) -> None:
    refused = ward.fix("--shm", "128m", "--yes", "--pid", str(1 << 22))

    assert refused.code == 1
    assert refused.err == f"refused: there is no process {1 << 22}\n"
    assert ward.states() == []


def test_undo_by_id_and_newest_first(ward: Ward, snapshot: SnapshotAssertion) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.fix("--shm", "256m", "--yes")

    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 128
    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 64
    nothing = ward.fix("--undo", "--yes")
    assert nothing.code == 0
    assert nothing.out == snapshot


@pytest.mark.extended
def test_an_older_fix_is_not_taken_back_under_a_newer_one(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.fix("--shm", "256m", "--yes")
    first = ward.fix("--history").out.split()[0]

    refused = ward.fix("--undo", first, "--yes")

    assert refused.code == 1
    assert "was changed to 256.0 MiB after the fix" in refused.err
    assert ward.shm() == 256
    assert ward.fix("--undo", first, "--yes", "--force").code == 0
    assert ward.shm() == 64


def test_dry_run_changes_nothing(ward: Ward) -> None:
    done = ward.fix("--shm", "128m", "--dry-run", "--persist")

    assert done.code == 0
    assert "+ tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=134217728 0 0" in done.out
    assert (ward.shm(), ward.fstab.read_text(), ward.states()) == (64, FSTAB, [])


def test_without_a_terminal_and_without_yes_nothing_changes(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("--shm", "128m")

    assert done.code == 1
    assert done.err == snapshot
    assert (ward.shm(), ward.states()) == (64, [])


@pytest.mark.parametrize(("answer", "code", "size"), [("y", 0, 128), ("", 1, 64)])
def test_asks_on_a_terminal(ward: Ward, answer: str, code: int, size: int) -> None:
    assert at_a_terminal(ward, ("--shm", "128m"), answer) == code
    assert ward.shm() == size


def at_a_terminal(ward: Ward, args: tuple[str, ...], answer: str) -> int:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [*ward.enter, sys.executable, "-m", "pipedoctor", "fix", *args],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=ward.environ,
    )
    os.close(terminal)
    seen = b""
    while b"[y/N]" not in seen:
        assert select.select([controller], [], [], 20)[0], seen
        seen += os.read(controller, 4096)
    os.write(controller, answer.encode() + b"\n")
    code = process.wait(20)
    os.close(controller)
    return code


@pytest.mark.parametrize(
    ("size", "why"),
    [
        pytest.param("0", "give a size of at least 1M, at most", id="zero"),
        pytest.param("0%", "give a size of at least 1M, at most", id="no share"),
        pytest.param("5", "is the unit missing, as in --shm 5G?", id="unit forgotten"),
        pytest.param("4T", "of memory: --shm", id="beyond memory"),
        pytest.param("120%", "of memory: --shm", id="beyond all of it"),
    ],
)
def test_refuses_with_the_number_that_would_do(ward: Ward, size: str, why: str) -> None:
    done = ward.fix("--shm", size, "--yes")

    assert done.code == 1
    assert why in done.err
    assert len(done.err.splitlines()) == 1
    assert (ward.shm(), ward.states()) == (64, [])


@pytest.mark.extended
def test_the_number_that_would_do_does(ward: Ward) -> None:
    refusal = ward.fix("--shm", "4T", "--yes").err
    number = refusal.split("--shm ")[1].split()[0]

    assert ward.fix("--shm", number, "--dry-run").code == 0
    assert ward.fix("--shm", "4T", "--dry-run", "--force").code == 0


@pytest.mark.parametrize("size", ["5X", "-5G", "", "five", "50%%"])
def test_nonsense_is_wrong_usage(ward: Ward, size: str) -> None:
    done = ward.fix("--shm", size, "--yes")

    assert done.code == 2
    assert "--shm" in done.err


def test_a_share_of_memory(ward: Ward) -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    done = ward.fix("--shm", "10%", "--dry-run")

    assert f"→ {memory * 0.1 / GiB:.1f} GiB" in done.out


def test_shrinking_below_its_use_is_refused(ward: Ward, snapshot: SnapshotAssertion) -> None:
    ward.run("dd", "if=/dev/zero", "of=/dev/shm/batch", "bs=1M", "count=30")

    done = ward.fix("--shm", "20m", "--yes", "--force")

    assert done.code == 1
    assert done.err == snapshot
    assert ward.fix("--shm", "30M", "--yes").code == 0
    assert ward.shm() == 30


@pytest.mark.extended
def test_undo_below_the_use_is_refused(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.run("dd", "if=/dev/zero", "of=/dev/shm/batch", "bs=1M", "count=100")

    done = ward.fix("--undo", "--yes", "--force")

    assert done.code == 1
    assert "100.0 MiB are in use in /dev/shm now, more than its previous 64.0 MiB" in done.err
    assert (ward.shm(), ward.states()) == (128, ["proved"])


def test_not_a_tmpfs_of_its_own(ward: Ward, snapshot: SnapshotAssertion) -> None:
    ward.run("umount", "--lazy", "/dev/shm")
    ward.run("umount", "--lazy", "/dev/shm")
    ward.run("umount", "--lazy", "/dev/shm")

    done = ward.fix("--shm", "128m", "--yes")

    assert done.code == 1
    assert done.err == snapshot


def test_a_terminal_that_only_knows_ascii(ward: Ward) -> None:
    done = ward.fix("--shm", "128m", "--dry-run", env={"PYTHONIOENCODING": "ascii"})

    assert done.code == 0
    assert "64.0 MiB -> 128.0 MiB" in done.out


def test_undo_can_be_looked_at_first_and_is_done_once(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    assert ward.fix("--history").out == snapshot
    ward.fix("--shm", "128m", "--yes")
    name = ward.fix("--history").out.split()[0]

    looked = ward.fix("--undo", name, "--dry-run")
    assert looked.out.splitlines() == [
        f"{name}   /dev/shm   128.0 MiB → 64.0 MiB",
        "  $ mount -o remount,size=67108864 /dev/shm",
        "dry run: nothing was changed",
    ]
    assert ward.shm() == 128
    assert ward.fix("--undo", name).code == 1
    assert ward.fix("--undo", name, "--yes").code == 0
    again = ward.fix("--undo", name, "--yes")
    assert (again.code, again.out) == (0, f"nothing to do: fix {name} is undone\n")


@pytest.mark.extended
def test_a_reader_that_goes_away_does_not_stop_a_fix(ward: Ward) -> None:
    program = shlex.join((sys.executable, "-m", "pipedoctor", "fix"))
    closed = "{ sleep 0.1; " + program + " --shm 128m --yes; } | true"

    ward.run("sh", "-c", closed)

    assert ward.shm() == 128
    assert ward.states() == ["proved"]
