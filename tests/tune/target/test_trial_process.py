"""A process whose first step took long measures the next settings, too."""

import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("torch")

from pipedoctor.facts import Setting
from pipedoctor.tune.search.session import TargetSession
from pipedoctor.tune.target.messages import TrialMeasured, TrialRequest
from pipedoctor.tune.target.trial_process import is_slow_start

JOB = """
import os
import time

import torch
from torch.utils.data import DataLoader, TensorDataset


def make():
    return DataLoader(TensorDataset(torch.zeros(512, 8)), batch_size=4)


class Step:
    ready = False

    def __call__(self, batch):
        if not self.ready:
            time.sleep(1.1)
            self.ready = True
            with open("starts", "a") as file:
                print(os.getpid(), file=file)


step = Step()
"""


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize(
    ("workers", "starts"),
    [
        pytest.param((1, 2), 1, id="workers of both"),
        pytest.param((0, 1, 2, 0), 3, id="not where it loads", marks=pytest.mark.extended),
    ],
)
def test_a_model_is_made_once(
    workers: tuple[int, ...], starts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But never in a process that has loaded data: its workers would find it in memory."""
    (tmp_path / "job.py").write_text(JOB)
    monkeypatch.chdir(tmp_path)

    with TargetSession("job.py:make", step="job.py:step") as session:
        session.wait_until_loaded(time.monotonic() + 150)
        answers = [session.run_trial(ask(count), time.monotonic() + 150) for count in workers]

    measured = [answer for answer in answers if isinstance(answer, TrialMeasured)]
    assert len(measured) == len(workers), answers
    assert all(answer.costs and answer.costs.fetch_wall > 0 for answer in measured)
    assert [answer.kept for answer in measured] == [bool(count) for count in workers]
    pids = [int(word) for word in (tmp_path / "starts").read_text().split()]
    assert len(pids) == starts
    end = time.monotonic() + 10
    while time.monotonic() < end and any(map(psutil.pid_exists, pids)):
        time.sleep(0.05)  # who adopted them has to reap them
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def ask(workers: int) -> TrialRequest:
    setting = Setting(num_workers=workers, prefetch_factor=2 if workers else None, batch_size=4)
    return TrialRequest(setting=setting, seconds=0.1, limit=1.0, patience=20)


@pytest.mark.parametrize(
    ("first", "usual", "slow"),
    [(6.0, 0.02, True), (0.9, 0.02, False), (6.0, 2.0, False)],
)
def test_a_start_is_slow_beside_a_usual_step(first: float, usual: float, slow: bool) -> None:
    assert is_slow_start(first, usual) is slow
