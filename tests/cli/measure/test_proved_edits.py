"""`fix --code --measure --prove`: an edit stays where it is faster, and is taken back where not."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.cli.fix import command as fix
from pipedoctor.facts import Window
from pipedoctor.facts.bench import MIN_WINDOWS
from pipedoctor.tune.compare import paired
from tests.cli.measure.conftest import CODE, run, skip_if_late

HARMED = """\
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Memory(Dataset):
    def __init__(self):
        self.rows = torch.zeros(4000, 8)

    def __len__(self):
        return 4000

    def __getitem__(self, index):
        time.sleep(0.02)
        return self.rows[index]


def make():
    loader = DataLoader(Memory(), batch_size=2, num_workers=2)
    return loader
"""
"""Rows in memory, but not cheap: without workers it waits."""


PROVE = ("--unsafe", "--yes", "--prove", "--budget", "30", "--code", "train.py")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else: what is measured here is 20 times what others could decide."""
    monkeypatch.setattr(paired, "MAX_PAIRS", MIN_WINDOWS)
    monkeypatch.setattr(Window, "disturbance", "")
    monkeypatch.setattr(Window, "rejection_reason", "")


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.usefixtures("alone")
def test_an_edit_that_helps_is_proved_and_stays(project: Path) -> None:
    slower = CODE.replace("sleep(0.004)", "sleep(0.05)").replace("=8)", "=2)")
    (project / "train.py").write_text(slower)

    done = run(fix, *PROVE, "--select", "num-workers-zero", "--measure", "train.py:make")
    skip_if_late(done)
    edited = (project / "train.py").read_text()

    assert done.exit_code == 0, done.output
    assert "num_workers=" in edited
    assert "predicted: Saves" in done.stdout
    assert "measured: Saves" in done.stdout
    assert "done and proved" in done.stdout


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.usefixtures("alone")
@pytest.mark.extended
def test_an_edit_that_does_not_help_is_taken_back(project: Path) -> None:
    (project / "train.py").write_text(HARMED)

    done = run(fix, *PROVE, "--select", "in-memory-with-workers", "--measure", "train.py:make")

    skip_if_late(done)
    assert done.exit_code == 1, done.output
    assert "it shows no gain: " in done.stderr
    assert "it was rolled back" in done.stderr
    assert (project / "train.py").read_text() == HARMED


def test_a_busy_machine_proves_nothing_and_nothing_is_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    class Busy:
        undecided_reason = "other processes used 1.0 of 2 CPUs, too much for a reliable measurement"

    class Before:
        tuning = Busy()

    def proving(_: object) -> nullcontext[Before]:
        return nullcontext(Before())

    monkeypatch.setattr(paired, "probe_baseline", proving)

    done = run(fix, *PROVE, "--measure", "train.py:make")

    assert done.exit_code == 1
    assert done.stderr == snapshot
    assert (project / "train.py").read_text() == CODE
