"""A process and its workers, to be watched."""

import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

FAMILY = """
import os, sys, time
def work():
    open("/proc/self/comm", "w").write("pt_data_worker")
    while os.getppid() == parent:
        time.sleep(0.02)
    os._exit(0)
parent = os.getpid()
pids = [os.fork() or work() for _ in range(int(sys.argv[1]))]
print(*pids, flush=True)
while True:
    time.sleep(0.01)
"""


@contextmanager
def family(workers: int) -> Generator[tuple[int, list[int]], None, None]:
    """A process and so many that look like workers of a loader."""
    command = [sys.executable, "-c", FAMILY, str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            pids = [int(word) for word in process.stdout.readline().split()]
            time.sleep(0.2)
            yield process.pid, pids
        finally:
            process.kill()
