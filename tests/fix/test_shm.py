"""`fix --shm` on a real, small /dev/shm."""

import os
import pty
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.units import GiB
from tests.fix.conftest import FSTAB, Ward

pytestmark = pytest.mark.root


def test_grows_proves_and_takes_back(ward: Ward) -> None:
    done = ward.fix("--shm", "128m", "--yes")

    assert done.code == 0, done.err
    assert done.out.splitlines()[:3] == [
        "/dev/shm   64.0 MiB → 128.0 MiB   until the next reboot   needs root",
        "  $ mount -o remount,size=134217728 /dev/shm",
        "  undo: mount -o remount,size=67108864 /dev/shm",
    ]
    assert "done and proved: /dev/shm 128.0 MiB" in done.out
    assert ward.shm() == 128
    assert ward.states() == ["proved"]

    back = ward.fix("--undo", "--yes")

    assert back.code == 0, back.err
    assert "taken back and proved: /dev/shm 64.0 MiB" in back.out
    assert ward.shm() == 64
    assert ward.states() == ["undone"]


def test_twice_is_once(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    again = ward.fix("--shm", "128m", "--yes")

    assert again.code == 0
    assert again.out == "nothing to do: /dev/shm already has 128.0 MiB\n"
    assert ward.states() == ["proved"]


def test_undo_by_id_and_newest_first(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.fix("--shm", "256m", "--yes")

    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 128
    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 64
    nothing = ward.fix("--undo", "--yes")
    assert nothing.code == 0
    assert "nothing to do" in nothing.out


def test_an_older_fix_is_not_taken_back_under_a_newer_one(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.fix("--shm", "256m", "--yes")
    first = ward.fix("--history").out.split()[0]

    refused = ward.fix("--undo", first, "--yes")

    assert refused.code == 1
    assert "was changed to 256.0 MiB by somebody else" in refused.err
    assert ward.shm() == 256
    assert ward.fix("--undo", first, "--yes", "--force").code == 0
    assert ward.shm() == 64


def test_dry_run_changes_nothing(ward: Ward) -> None:
    done = ward.fix("--shm", "128m", "--dry-run", "--persist")

    assert done.code == 0
    assert "+ tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=134217728 0 0" in done.out
    assert (ward.shm(), ward.fstab.read_text(), ward.states()) == (64, FSTAB, [])


def test_without_a_terminal_and_without_yes_nothing_changes(ward: Ward) -> None:
    done = ward.fix("--shm", "128m")

    assert done.code == 1
    assert "there is no terminal to ask on" in done.err
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
        pytest.param("5", "with its unit, as in --shm 5G?", id="unit forgotten"),
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


def test_shrinking_below_its_use_is_refused(ward: Ward) -> None:
    ward.run("dd", "if=/dev/zero", "of=/dev/shm/batch", "bs=1M", "count=30")

    done = ward.fix("--shm", "20m", "--yes", "--force")

    assert done.code == 1
    assert done.err == (
        "refused: 30.0 MiB are in use in /dev/shm now, more than 20.0 MiB: "
        "--shm 30M would do\n"
    )
    assert ward.fix("--shm", "30M", "--yes").code == 0
    assert ward.shm() == 30


def test_undo_below_the_use_is_refused(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--yes")
    ward.run("dd", "if=/dev/zero", "of=/dev/shm/batch", "bs=1M", "count=100")

    done = ward.fix("--undo", "--yes", "--force")

    assert done.code == 1
    assert "100.0 MiB are in use in /dev/shm now, more than the 64.0 MiB" in done.err
    assert (ward.shm(), ward.states()) == (128, ["proved"])


def test_not_a_tmpfs_of_its_own(ward: Ward) -> None:
    ward.run("umount", "--lazy", "/dev/shm")
    ward.run("umount", "--lazy", "/dev/shm")
    ward.run("umount", "--lazy", "/dev/shm")

    done = ward.fix("--shm", "128m", "--yes")

    assert done.code == 1
    assert "/dev/shm is not a mount of its own" in done.err


@pytest.mark.parametrize("kept", [FSTAB, FSTAB.rstrip("\n"), "", None])
def test_persists_and_restores_every_byte(ward: Ward, kept: str | None) -> None:
    if kept is None:
        ward.fstab.unlink()
    else:
        ward.fstab.write_text(kept)
        ward.fstab.chmod(0o640)

    done = ward.fix("--shm", "128m", "--persist", "--yes")

    assert done.code == 0, done.err
    line = "tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=134217728 0 0\n"
    assert ward.fstab.read_text().endswith(line)
    assert ward.fstab.stat().st_mode & 0o777 == (0o644 if kept is None else 0o640)
    assert ward.fix("--undo", "--yes").code == 0
    assert ward.shm() == 64
    if kept is None:
        assert not ward.fstab.exists()
    else:
        assert ward.fstab.read_text() == kept
        assert ward.fstab.stat().st_mode & 0o777 == 0o640
    assert not list(ward.etc.glob(".*pipedoctor*"))


def test_only_the_file_when_the_size_is_right_already(ward: Ward) -> None:
    done = ward.fix("--shm", "64m", "--persist", "--yes")

    assert done.code == 0
    assert "mount -o" not in done.out
    assert "size=67108864" in ward.fstab.read_text()
    assert "stays so after a reboot" in ward.fix("--shm", "64m", "--persist").out


def test_a_linked_fstab_stays_a_link(ward: Ward) -> None:
    ward.fstab.rename(ward.etc / "real")
    ward.fstab.symlink_to("real")

    assert ward.fix("--shm", "128m", "--persist", "--yes").code == 0
    assert ward.fstab.is_symlink()
    assert "size=134217728" in (ward.etc / "real").read_text()
    assert ward.fix("--undo", "--yes").code == 0
    assert (ward.etc / "real").read_text() == FSTAB


def test_what_others_changed_since_is_not_overwritten(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--persist", "--yes")
    with ward.fstab.open("a") as fstab:
        fstab.write("# theirs\n")

    done = ward.fix("--undo", "--yes")

    assert done.code == 1
    assert "/etc/fstab was changed by somebody else after the fix" in done.err
    assert "# theirs" in ward.fstab.read_text()
    assert ward.shm() == 128
    assert ward.fix("--undo", "--yes", "--force").code == 0
    assert ward.fstab.read_text() == FSTAB


def test_the_journal_can_be_read_but_its_backups_cannot(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--persist", "--yes")

    listed = ward.run(
        "find", "/var/lib/pipedoctor", "-printf", "%m %y %f\n"
    ).out.splitlines()

    assert {line[:5] for line in listed if " d " in line} == {"755 d"}
    assert "600 f 1.backup" in listed
    assert "644 f entry.json" in listed


def test_a_command_that_does_nothing_is_rolled_back(ward: Ward, tmp_path: Path) -> None:
    fake(tmp_path, "mount", "exit 0")

    done = ward.fix("--shm", "128m", "--persist", "--yes", env=path(tmp_path))

    assert done.code == 1
    assert "/dev/shm shows 64.0 MiB afterwards, not 128.0 MiB" in done.err
    assert "it was rolled back" in done.err
    assert ward.states() == ["rolled-back"]
    assert ward.fstab.read_text() == FSTAB


def test_a_file_that_is_not_understood_is_rolled_back_with_the_rest(
    ward: Ward, tmp_path: Path
) -> None:
    fake(tmp_path, "findmnt", "echo defaults")

    done = ward.fix("--shm", "128m", "--persist", "--yes", env=path(tmp_path))

    assert done.code == 1
    assert (ward.shm(), ward.fstab.read_text()) == (64, FSTAB)
    assert ward.states() == ["rolled-back"]


def test_a_missing_program_is_one_line(ward: Ward, tmp_path: Path) -> None:
    program = (sys.executable, "-m", "pipedoctor", "fix")
    done = ward.run("env", f"PATH={tmp_path}", *program, "--shm", "128m", "--yes")

    assert done.code == 1
    assert "mount cannot be run: No such file or directory" in done.err
    assert len(done.err.splitlines()) == 1
    assert ward.states() == ["rolled-back"]


def test_a_command_that_fails_says_its_last_words(ward: Ward, tmp_path: Path) -> None:
    fake(tmp_path, "mount", "echo first >&2; echo 'no \033[31mway' >&2; exit 32")

    done = ward.fix("--shm", "128m", "--yes", env=path(tmp_path))

    assert "mount failed (exit 32): no \\x1b[31mway" in done.err


def fake(folder: Path, name: str, script: str) -> None:
    program = folder / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def path(folder: Path) -> dict[str, str]:
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


def test_not_root_gets_the_line_that_works(ward: Ward, nobody: int) -> None:
    done = ward.fix("--shm", "128m", "--yes", uid=nobody)

    assert done.code == 1
    assert "needs root; nothing was changed" in done.err
    assert (ward.shm(), ward.states()) == (64, [])
    line = next(la for la in done.out.splitlines() if la.startswith("  sudo "))
    assert ward.run(*shlex.split(line)[1:]).code == 0
    assert ward.shm() == 128


def test_not_root_may_look(ward: Ward, nobody: int) -> None:
    assert ward.fix("--shm", "128m", "--dry-run", uid=nobody).code == 0
    ward.fix("--shm", "128m", "--yes")

    assert ward.states(uid=nobody) == ["proved"]
    undo = ward.fix("--undo", "--yes", uid=nobody)
    assert undo.code == 1
    assert "  sudo " in undo.out


def test_the_journal_goes_where_the_user_keeps_state(
    ward: Ward, tmp_path: Path
) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}

    assert ward.fix("--shm", "128m", "--yes", env=state).code == 0
    assert ward.states() == []
    assert ward.states(env=state) == ["proved"]
    assert list((tmp_path / "state/pipedoctor/journal").glob("*/entry.json"))


def test_a_relative_state_home_does_not_count(ward: Ward) -> None:
    assert ward.fix("--shm", "128m", "--yes", env={"XDG_STATE_HOME": "x"}).code == 0
    assert ward.states() == ["proved"]


def test_without_the_right_to_mount_the_launcher_is_told(ward: Ward) -> None:
    weak = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--")
    program = (sys.executable, "-m", "pipedoctor", "fix")

    done = ward.run(*weak, *program, "--shm", "5G", "--yes")

    assert done.code == 1
    assert "may not mount (no CAP_SYS_ADMIN)" in done.err
    assert ward.states() == []


def test_where_no_journal_can_be_kept_nothing_changes(ward: Ward) -> None:
    done = ward.fix("--shm", "128m", "--yes", env={"XDG_STATE_HOME": "/proc"})

    assert done.code == 1
    assert "no journal can be kept, so nothing is changed" in done.err
    assert ward.shm() == 64


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
    both = [
        subprocess.Popen(argv, env=ward.environ, stdout=subprocess.PIPE)
        for _ in range(2)
    ]

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
    holder = subprocess.Popen(
        [*ward.enter, sys.executable, "-c", hold], stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    began = time.monotonic()

    done = ward.fix("--shm", "256m", "--yes")

    holder.kill()
    holder.communicate()
    assert done.code == 1
    assert "another fix is under way (process " in done.err
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


def test_a_terminal_that_only_knows_ascii(ward: Ward) -> None:
    done = ward.fix("--shm", "128m", "--dry-run", env={"PYTHONIOENCODING": "ascii"})

    assert done.code == 0
    assert "64.0 MiB -> 128.0 MiB" in done.out


def test_undo_can_be_looked_at_first_and_is_done_once(ward: Ward) -> None:
    assert ward.fix("--history").out == "no fix has been applied here yet\n"
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


def test_a_reader_that_goes_away_does_not_stop_a_fix(ward: Ward) -> None:
    program = shlex.join((sys.executable, "-m", "pipedoctor", "fix"))
    closed = "{ sleep 0.1; " + program + " --shm 128m --yes; } | true"

    ward.run("sh", "-c", closed)

    assert ward.shm() == 128
    assert ward.states() == ["proved"]
