"""The thread that packs for a queue is told from threads that compute for a worker."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipedoctor.watch.process.packing_threads import PackingThreads
from pipedoctor.watch.stacks.stack_reader import StackReader
from pipedoctor.watch.system.process_counters import ProcessCounters

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 does not know their numbers"),
]
PROGRAM = """
import multiprocessing, sys, threading, time

def compute():
    while True:
        sum(range(1000))

data = bytes(10**7)
queue = multiprocessing.Queue(2)
reader = threading.Thread(target=lambda: [queue.get() for _ in iter(int, 1)], daemon=True)
if sys.argv[1] == "packs":
    reader.start()
    queue.put(data)
else:
    threading.Thread(target=compute, daemon=True).start()
print("ready", flush=True)
while True:
    queue.put(data) if sys.argv[1] == "packs" else time.sleep(0.01)
"""


@pytest.mark.parametrize("what", ["packs", "computes"])
def test_only_the_thread_that_packs_counts(what: str) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM, what], stdout=subprocess.PIPE) as job:
        assert job.stdout is not None
        job.stdout.readline()
        time.sleep(0.1)
        counters, packing = ProcessCounters(job.pid), PackingThreads()
        reader = StackReader(job.pid, Path(f"/proc/{job.pid}"))
        spent = None
        for _ in range(4):
            spent = spent or packing.read_cpu(reader, counters, counters.read())
            time.sleep(0.02)
        counters.close()
        job.kill()

    assert (spent is not None and spent > 0) == (what == "packs")
