"""Illnesses made for real: their log is confirmed there, and ruled out elsewhere."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

LOADER = """
import os, sys, torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self): return 800
    def __getitem__(self, i):
        if sys.argv[1] == "kill" and i == 20: os.kill(os.getpid(), 9)
        return torch.ones(int(sys.argv[2]))
if __name__ == "__main__":
    kept = []
    for batch in DataLoader(Data(), batch_size=4, num_workers=2):
        if sys.argv[1] == "keep": kept.extend(batch.unbind())
        kept.append(batch) if sys.argv[1] == "keep" else None
"""
SMALL_SHM = "mount -t tmpfs -o size=4m tmpfs /dev/shm && "


@pytest.fixture
def loader(tmp_path: Path) -> Path:
    path = tmp_path / "loader.py"
    path.write_text(LOADER, "utf-8")
    return path


def shell(line: str, tmp_path: Path, *wrap: str) -> str:
    """What this prints, errors and all."""
    done = subprocess.run(
        [*wrap, "sh", "-c", line],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=tmp_path,
        text=True,
        timeout=120,
    )
    return done.stdout


def explained(log: Path, tmp_path: Path, before: str = "", *wrap: str) -> Any:
    line = f"{before}{sys.executable} -m pipedoctor explain --format json {log}"
    said = json.loads(shell(line, tmp_path, *wrap))
    return said["causes"][0]


@pytest.mark.extended
@pytest.mark.root
@pytest.mark.slow
def test_shm_too_small(loader: Path, tmp_path: Path) -> None:
    wrap = ("unshare", "-m")
    log = tmp_path / "log"
    line = f"{SMALL_SHM}{sys.executable} {loader} plain 1000000"
    log.write_text(shell(line, tmp_path, *wrap), "utf-8")

    ill = explained(log, tmp_path, SMALL_SHM, *wrap)
    well = explained(log, tmp_path)

    assert (ill["cause"], ill["here"]) == ("shm_too_small", "confirmed")
    assert "4.0 MiB" in ill["why_here"]
    assert ill["remedies"][0]["automatic"]
    assert (well["cause"], well["here"]) == ("shm_too_small", "ruled-out")
    assert not any(remedy["automatic"] for remedy in well["remedies"])


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux limits")
def test_fd_limit_exhausted(loader: Path, tmp_path: Path) -> None:
    few = "ulimit -n 64; "
    log = tmp_path / "log"
    line = f"{few}{sys.executable} {loader} keep 4"
    log.write_text(shell(line, tmp_path), "utf-8")

    ill = explained(log, tmp_path, few)
    well = explained(log, tmp_path, "ulimit -n 4096; ")

    assert (ill["cause"], ill["here"]) == ("fd_limit_exhausted", "confirmed")
    assert (well["cause"], well["here"]) == ("fd_limit_exhausted", "ruled-out")


@pytest.mark.extended
def test_killed_worker(loader: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"  # torch names the signal, or only loses its connection
    log.write_text(shell(f"{sys.executable} {loader} kill 4", tmp_path), "utf-8")

    said = explained(log, tmp_path)

    assert said["cause"] == "worker_oom_killed"
