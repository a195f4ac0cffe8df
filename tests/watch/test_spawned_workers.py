"""Workers that share no memory with their main process are its workers all the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.watch.job.session import WatchSession

PROGRAM = """
import sys, time
import torch
from torch.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __len__(self):
        return 10**6

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.zeros(1)

if __name__ == "__main__":
    loader = DataLoader(Slow(), 2, num_workers=2, multiprocessing_context=sys.argv[1])
    for n, _ in enumerate(loader):
        if n == 4:
            print("warm", flush=True)
"""


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
@pytest.mark.extended
@pytest.mark.parametrize("how", ["spawn", "forkserver"])
def test_both_workers_deliver(tmp_path: Path, how: str) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    with subprocess.Popen(
        [sys.executable, str(file), how], stdout=subprocess.PIPE, env=environment
    ) as job:
        assert job.stdout is not None
        job.stdout.readline()
        session = WatchSession(job.pid)
        session.run(6.0)
        (main,) = session.list_mains()
        delivering = session.list_delivering(main)
        session.close()
        job.kill()

    assert len(delivering) == 2
    assert len({worker.loader for worker in delivering}) == 1
    assert delivering[0].loader


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_who_has_got_a_batch_awaits_no_first_worker() -> None:
    """Batches may come before the new processes are known to be workers."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as job:
        session = WatchSession(job.pid)
        (main,) = session.list_mains()
        session.starts_workers = {job.pid}
        before = session.awaits_first_worker(main)
        main.has_received = True
        after = session.awaits_first_worker(main)
        session.close()
        job.kill()

    assert before
    assert not after
