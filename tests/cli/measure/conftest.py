"""A project with a slow loader, and commands that are run in it."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

CODE = """\
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, index):
        with open(__file__, "rb") as file:
            file.read()
        time.sleep(0.004)
        return torch.zeros(8), index


def make():
    loader = DataLoader(Slow(), batch_size=8)
    return loader


def raising():
    raise OSError("no images here")


class Broken(Slow):
    def __getitem__(self, index):
        raise ValueError("a damaged sample")


def broken():
    return DataLoader(Broken(), batch_size=8)
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "train.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: Any, *args: str) -> Result:
    done = CliRunner().invoke(command, args)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


LATE = ("fit into the budget", "no answer within", "exceeded the time budget")
"""What is said where others leave too little time for measuring."""


def skip_if_late(done: Result) -> None:
    """Nothing is proved, and nothing refuted, by what had no time."""
    if done.exit_code and any(words in done.output for words in LATE):
        pytest.skip(f"this machine is too busy: {done.output}")
