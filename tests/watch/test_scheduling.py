"""Whoever watches takes no CPU from a worker that is at work."""

import os
import subprocess
import sys
import time


def test_a_look_waits_for_its_turn() -> None:
    sleeper = (sys.executable, "-c", "import time; time.sleep(60)")
    with subprocess.Popen(sleeper) as job:
        argv = (sys.executable, "-m", "pipedoctor", "watch", str(job.pid), "-q", "--seconds", "5")
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as watch:
            end = time.monotonic() + 30
            policy = os.SCHED_OTHER
            while policy == os.SCHED_OTHER and time.monotonic() < end and watch.poll() is None:
                policy = os.sched_getscheduler(watch.pid)
                time.sleep(0.05)
            watch.kill()
        job.kill()

    assert policy == os.SCHED_BATCH
