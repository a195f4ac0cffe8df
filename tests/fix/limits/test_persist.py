"""What `--persist` writes, and what is rolled back when a step fails."""

import os
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.fix.conftest import FSTAB, Ward

pytestmark = pytest.mark.root


@pytest.mark.parametrize(
    "kept",
    [
        FSTAB,
        None,
        pytest.param(FSTAB.rstrip("\n"), marks=pytest.mark.extended),
        pytest.param("", marks=pytest.mark.extended),
    ],
)
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


def test_only_the_file_when_the_size_is_right_already(
    ward: Ward, snapshot: SnapshotAssertion
) -> None:
    done = ward.fix("--shm", "64m", "--persist", "--yes")

    assert done.code == 0
    assert "mount -o" not in done.out
    assert "size=67108864" in ward.fstab.read_text()
    assert ward.fix("--shm", "64m", "--persist").out == snapshot


@pytest.mark.extended
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
    assert "/etc/fstab was changed after the fix" in done.err
    assert "# theirs" in ward.fstab.read_text()
    assert ward.shm() == 128
    assert ward.fix("--undo", "--yes", "--force").code == 0
    assert ward.fstab.read_text() == FSTAB


@pytest.mark.extended
def test_the_journal_can_be_read_but_its_backups_cannot(ward: Ward) -> None:
    ward.fix("--shm", "128m", "--persist", "--yes")

    listed = ward.run("find", "/var/lib/pipedoctor", "-printf", "%m %y %f\n").out.splitlines()

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
