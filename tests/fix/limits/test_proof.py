"""Proof by looking again, and the line for sudo."""

import os
import shlex
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

import pipedoctor
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.sections import read_sections
from pipedoctor.facts import Loader, Shm
from pipedoctor.fix.limits import persist, privilege, proof
from pipedoctor.fix.plan.current_value import Gauge
from pipedoctor.fix.plan.plan import CommandStep, FixPlan, PlanStep, WriteStep


def plan(step: PlanStep) -> FixPlan:
    return FixPlan(subject="s", before="b", after="a", steps=(step,), lasts="for good")


def test_a_value_that_moved_on_is_no_proof() -> None:
    gauge = Gauge(kind="sysctl", key="kernel.pid_max")
    now = gauge.read() or ""
    reached = CommandStep(argv=("true",), gauge=gauge, after=now)
    missed = CommandStep(argv=("true",), gauge=gauge, after="1")

    assert not proof.verify_values(plan(reached))
    assert proof.verify_values(plan(missed)) == f"kernel.pid_max has {now}, not 1"


def test_a_file_that_others_changed_at_once_is_no_proof(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"theirs")
    ours = WriteStep(path=str(file), content=b"ours", found=None)
    theirs = WriteStep(path=str(file), content=b"theirs", found=None)

    assert "does not hold what was written" in proof.verify_values(plan(ours))
    assert not proof.verify_values(plan(theirs))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (persist.edit_fstab(None, 1 << 20), ""),
        (b"tmpfs /dev/shm tmpfs ro 0 0\n", "has no size for /dev/shm"),
    ],
)
def test_fstab_is_read_by_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, why: str
) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_bytes(text)
    monkeypatch.setattr(persist, "FSTAB", str(fstab))
    step = WriteStep(path=str(fstab), content=text, found=None)

    assert proof.verify_values(plan(step)).endswith(why)
    assert bool(proof.verify_values(plan(step))) == bool(why)


def test_sections_that_cannot_be_read_say_why(snapshot: SnapshotAssertion) -> None:
    facts = read_sections(Machine(system="darwin"), "shm", "loader")

    assert facts.get(Shm) is None
    assert facts.get_unknown_reason(Shm) == snapshot
    assert facts.get_unknown_reason(Loader).startswith("crashed: ")


def test_sudo_finds_the_program_that_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "a b/pipedoctor"
    program.parent.mkdir()
    program.touch(mode=0o755)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["a b/pipedoctor", "fix", "--shm", "5 G"])

    assert privilege.repeat_as_root() == f"sudo '{program}' fix --shm '5 G'"


def test_sudo_finds_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    home = str(Path(pipedoctor.__file__).parent.parent)
    monkeypatch.setenv("XDG_STATE_HOME", "/s")
    monkeypatch.setenv("PYTHONPATH", f"/x{os.pathsep}{home}")
    monkeypatch.setattr(sys, "argv", [pipedoctor.__file__, "fix"])

    assert shlex.split(privilege.repeat_as_root()) == [
        "sudo",
        "env",
        "XDG_STATE_HOME=/s",
        f"PYTHONPATH=/x{os.pathsep}{home}",
        sys.executable,
        "-m",
        "pipedoctor",
        "fix",
    ]
