"""`tune` on a real GPU: trials are forked, and each of them needs CUDA for itself."""

import json
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

TARGET = """
import torch
from torch.utils.data import DataLoader, TensorDataset

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def make():
    items = TensorDataset(torch.zeros(65536, 64))
    return DataLoader(items, batch_size=64, num_workers=2, pin_memory=True)


class Step:
    matrix = None

    def __call__(self, batch):
        if self.matrix is None:
            self.matrix = torch.randn(4096, 4096, device=DEVICE)
        batch[0].to(DEVICE, non_blocking=True)
        for _ in range(10):
            torch.mm(self.matrix, self.matrix)


step = Step()
"""


@pytest.mark.gpu
def test_a_script_that_asks_at_import_and_never_waits(tmp_path: Path) -> None:
    """Only launching its kernels would take a hundredth of what they take."""
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    (tmp_path / "job.py").write_text(TARGET)
    argv = ["pipedoctor", "tune", "job.py:make", "--step", "job.py:step", "--budget", "25"]

    done = subprocess.run(
        [*argv, "--format", "json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["bottleneck"] == "consumer", found["why"]
    assert found["evidence"]["kernel_seconds"] > found["evidence"]["step_seconds"] / 2
    assert found["trials"]
