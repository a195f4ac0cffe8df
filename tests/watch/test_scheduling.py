"""Whoever watches takes no CPU from a worker that is at work."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLEEPER = """
import mmap, sys, time
with open(sys.argv[1], "rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
print("mapped", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("every", [False, True], ids=["one job", "all jobs"])
def test_a_look_waits_for_its_turn(every: bool, tmp_path: Path) -> None:
    library = tmp_path / "libtorch.so"  # what tells a job that uses torch
    library.write_bytes(b"0" * 4096)
    sleeper = (sys.executable, "-c", SLEEPER, str(library))
    with subprocess.Popen(sleeper, stdout=subprocess.PIPE) as job:
        assert job.stdout is not None
        job.stdout.readline()
        which = "--all" if every else str(job.pid)
        argv = (sys.executable, "-m", "pipedoctor", "watch", which, "-q", "--seconds", "5")
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as watch:
            end = time.monotonic() + 30
            policy = os.SCHED_OTHER
            while policy == os.SCHED_OTHER and time.monotonic() < end and watch.poll() is None:
                policy = os.sched_getscheduler(watch.pid)
                time.sleep(0.05)
            watch.kill()
        job.kill()

    assert policy == os.SCHED_BATCH
