"""Which machine, which process; and what a small file says."""

import os
import sys
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine, read_file, read_int, read_or_default
from pipedoctor.facts import UnreadableError


def test_this_machine_by_default() -> None:
    machine = Machine()

    assert machine.proc == Path("/proc")
    assert machine.process == Path("/proc/self")
    assert machine.map_path("/dev/shm") == Path("/dev/shm")
    assert machine.system == sys.platform
    assert machine.environ == dict(os.environ)


def test_a_running_process(tmp_path: Path) -> None:
    machine = Machine(root=tmp_path, pid=4711)

    assert machine.process == tmp_path / "proc/4711"
    assert machine.map_path("/dev/shm") == tmp_path / "proc/4711/root/dev/shm"


@pytest.mark.parametrize("system", ["linux", "linux2"])
def test_linux_is_linux(system: str) -> None:
    Machine(system=system).require_linux()


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_it_says_so(system: str) -> None:
    with pytest.raises(UnreadableError, match=f"only available on Linux, not on {system}"):
        Machine(system=system).require_linux()


def test_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"caf\xe9")

    assert read_file(tmp_path / "x") == "caf\ufffd"
    assert read_or_default(tmp_path / "x") == "caf\ufffd"


def test_a_file_that_is_not(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="x: No such file or directory"):
        read_file(tmp_path / "x")
    assert read_or_default(tmp_path / "x", "else") == "else"
    assert read_int(tmp_path / "x") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42\n", 42),
        ("-1", -1),
        ("max", None),
        ("", None),
        ("4 2", None),
        ("\u0664", None),
        ("--1", None),
        ("-", None),
        ("\u00b2", None),
    ],
)
def test_a_file_of_one_number(tmp_path: Path, text: str, number: int | None) -> None:
    (tmp_path / "x").write_text(text, encoding="utf-8")

    assert read_int(tmp_path / "x") == number
