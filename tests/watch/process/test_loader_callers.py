"""Letting go of the batch before is part of getting the next one where a batch is taken."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.system.process_tree import JobProcess

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
]
LOADER = """
class Batches:
    def __iter__(self): return self
    def __next__(self):
        return list(map(float, range(100_000)))
"""
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from dataloader import Batches

def pass_on(batches):
    yield from batches

def take(batches):
    for batch in batches:
        yield batch

made = iter(Batches())
if sys.argv[2] != "directly":
    made = globals()[sys.argv[2]](made)
print("ready", flush=True)

def train():
    while True:
        batch = next(made)

train()
"""


@pytest.mark.parametrize(
    ("how", "phases"),
    [
        ("directly", {"waiting", "receiving"}),
        ("pass_on", {"waiting", "receiving"}),
        pytest.param(
            "take",
            {"waiting", "computing"},
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 does not tell"),
        ),
    ],
)
def test_where_a_batch_is_taken(tmp_path: Path, how: str, phases: set[str]) -> None:
    package = tmp_path / "torch" / "utils" / "data"
    package.mkdir(parents=True)
    (package / "dataloader.py").write_text(LOADER)
    (tmp_path / "train.py").write_text(PROGRAM)
    program = [sys.executable, str(tmp_path / "train.py"), str(package), how]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as job:
        assert job.stdout is not None
        job.stdout.readline()
        process = WatchedProcess(JobProcess(job.pid, 1, "python", "main", job.pid))
        end = time.monotonic() + 10
        while not phases <= set(process.tally.phases) and time.monotonic() < end:
            process.take_sample(time.monotonic())
            time.sleep(0.002)
        process.counters.close()
        job.kill()

    assert set(process.tally.phases) - {"blocked"} == phases
