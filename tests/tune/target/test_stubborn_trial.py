"""A process of a trial that no kill ends is left, and the trial has failed."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from pipedoctor.facts import Setting
from pipedoctor.tune.target.messages import TrialFailed, TrialRequest
from pipedoctor.tune.target.trial_process import TrialProcess

MODULE = "pipedoctor.tune.target.trial_process"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def test_a_trial_that_no_kill_ends_has_failed_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a call of a driver that hangs, where a signal has no effect."""
    started = tmp_path / "pid"

    def stay(*_: object) -> None:
        started.write_text(str(os.getpid()))
        time.sleep(60)
        os._exit(0)

    def kill_nothing(root: int, *, alive: bool = True) -> None:
        del root, alive

    monkeypatch.setattr(f"{MODULE}._measure_in_child", stay)
    monkeypatch.setattr(f"{MODULE}.kill_tree", kill_nothing)
    setting = Setting(num_workers=0, batch_size=1)
    began = time.monotonic()
    try:
        failed = TrialProcess(None, print, 1).run(
            TrialRequest(setting=setting, seconds=0.1, limit=0.5, patience=1.0)
        )
    finally:
        with contextlib.suppress(OSError, ValueError):
            pid = int(started.read_text())
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    assert isinstance(failed, TrialFailed)
    assert failed.hung
    assert "it does not end when it is killed" in failed.reason
    assert time.monotonic() - began < 30
