"""Segments on a mount that other namespaces share: strangers may own or hold them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.collect.system.shm_segments import (
    has_foreign_processes,
)
from tests.collect.system.shm_segments.conftest import INITIAL, look, process

OTHER = "pid:[4026532999]"


def mountinfo(folder: Path, device: str) -> None:
    text = f"1 0 9:9 / / rw - ext4 x rw\n2 1 {device} / /dev/shm rw - tmpfs shm rw\n"
    (folder / "mountinfo").write_text(text)


def test_others_that_share_the_mount_are_noticed(shm: Path, proc: Path) -> None:
    number = shm.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    mountinfo(process(proc, 50), device)
    mountinfo(process(proc, 51, space=OTHER), "0:1")
    assert not look(shm, proc).foreign

    mountinfo(process(proc, 52, space=OTHER), device)
    assert look(shm, proc).foreign


def test_who_hides_its_namespace_is_no_stranger(shm: Path, proc: Path) -> None:
    number = shm.stat().st_dev
    folder = process(proc, 50)
    mountinfo(folder, f"{os.major(number)}:{os.minor(number)}")
    (folder / "ns/pid").unlink()

    assert not look(shm, proc).foreign


def strange(proc: Path, shm: Path, pid: int, *, space: str = OTHER) -> None:
    """A process that has the same mount."""
    number = shm.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    mountinfo(process(proc, pid, space=space), device)


def foreign(proc: Path, shm: Path, uid: int | None = None) -> bool:
    return has_foreign_processes(proc, shm, os.getuid() if uid is None else uid)


def test_who_counts_processes_by_himself_may_put_files_there(shm: Path, proc: Path) -> None:
    assert not foreign(proc, shm)
    strange(proc, shm, 50, space=INITIAL)
    mountinfo(process(proc, 51, space=OTHER), "0:1")
    assert not foreign(proc, shm)

    strange(proc, shm, 52)
    assert foreign(proc, shm)
    assert not foreign(proc, shm, uid=os.getuid() + 1)


def test_who_hides_its_namespace_may_be_a_stranger(shm: Path, proc: Path) -> None:
    (proc / "1/ns/pid").unlink()
    ended, kernel = process(proc, 60, state="Z"), process(proc, 61, flags=0x00200040)
    for folder in (ended, kernel):
        (folder / "ns/pid").unlink()
    assert not foreign(proc, shm)

    (process(proc, 62) / "ns/pid").unlink()
    assert foreign(proc, shm)


def test_who_ended_meanwhile_is_no_stranger(
    shm: Path, proc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(_: Path) -> Iterator[Path]:
        yield proc / "77"

    monkeypatch.setattr(Path, "iterdir", listed)
    assert not foreign(proc, shm)
