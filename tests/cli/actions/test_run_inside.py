"""`run --inside`: exact clocks in a program whose code nobody changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX only"),
]
PROGRAM = """
import time, torch
from torch.utils.data import DataLoader

class Items:
    def __len__(self):
        return 12
    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.zeros(2)

loader = DataLoader(Items(), batch_size=4, num_workers=1)
for _ in range(2):
    for batch in loader:
        pass
"""


def run(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pipedoctor", "run", *words],
        capture_output=True,
        check=False,
        text=True,
        env=os.environ | variables,
    )


@pytest.mark.torch
def test_figures_of_each_process(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "sitecustomize.py").write_text("print('mine')")
    done = run(
        *("--inside", "--", sys.executable, "-W", "ignore", "-c", PROGRAM),
        PYTHONPATH=str(tmp_path),
        RANK="3",
    )

    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) == {"mine"}  # also in a helper of multiprocessing
    (line,) = (row for row in done.stderr.splitlines() if row.startswith("inside: "))
    assert line.startswith("inside: rank 3 waited for data ")
    assert "for 6 batches in 2 epochs: p50 " in line


def test_nothing_measured_is_said() -> None:
    done = run("--inside", "--", sys.executable, "-c", "print(1)")

    assert (done.returncode, done.stdout) == (0, "1\n")
    assert done.stderr.startswith("inside: nothing was measured: ")


def test_a_broken_torch_is_the_programs_own_error(tmp_path: Path) -> None:
    """What the clocks cannot be put on stays as it is."""
    package = tmp_path / "torch" / "utils" / "data"
    package.mkdir(parents=True)
    for folder in (package, package.parent, package.parent.parent):
        (folder / "__init__.py").touch()
    (package / "dataloader.py").write_text("VALUE = 7")
    code = "from torch.utils.data import dataloader; print(dataloader.VALUE)"
    done = run("--inside", "--", sys.executable, "-c", code, PYTHONPATH=str(tmp_path))

    assert (done.returncode, done.stdout) == (0, "7\n")
    assert "Traceback" not in done.stderr


def test_the_variables_are_the_commands_alone() -> None:
    code = "import os; print('PIPEDOCTOR_LIVE' in os.environ, os.environ.get('PYTHONPATH'))"
    done = run("--", sys.executable, "-c", code, PYTHONPATH="")

    assert done.stdout == "False \n"
