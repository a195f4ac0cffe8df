"""A main process that waits for a queue: only its threads say whether that means data."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipedoctor.watch.process.prefetch_threads import PrefetchThreads
from pipedoctor.watch.process.watched_process import WatchedProcess
from pipedoctor.watch.samples.tally import SampleTally
from pipedoctor.watch.stacks.code_objects import CodeObject
from pipedoctor.watch.stacks.frame_reader import RemoteFrame, ThreadStack
from pipedoctor.watch.stacks.stack_phases import classify_main_stack
from pipedoctor.watch.system.process_tree import JobProcess

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="Linux only"),
]
LOADER = """
import time
class Batches:
    def __init__(self, seconds): self.seconds = seconds
    def __iter__(self): return self
    def __next__(self):
        time.sleep(self.seconds)
        return 1
class DataLoader(Batches):
    pass
"""
PROGRAM = """
import queue, sys, threading, time
sys.path.insert(0, sys.argv[1])
from dataloader import Batches, DataLoader

full, answers = queue.Queue(2), queue.Queue()

def fill():
    made = DataLoader if sys.argv[3] == "converts" else Batches
    for batch in made(float(sys.argv[2])):
        if sys.argv[3] == "converts":
            end = time.thread_time() + 0.06
            while time.thread_time() < end:
                sum(range(99))
        full.put(batch)

def generate():
    while True:
        yield full.get()

class Answers:
    def __next__(self):
        return answers.get()

def work():
    while True:
        sum(range(99))

def get_bare(loader):
    print("ready", flush=True)
    while True:
        answers.get()

if sys.argv[3] in {"bare", "held"}:
    threading.Thread(target=work, daemon=True).start()
    get_bare(DataLoader(0.0) if sys.argv[3] == "held" else None)
threading.Thread(target=fill, daemon=True).start()
time.sleep(0.3)
print("ready", flush=True)
if sys.argv[3] != "answers":
    for batch in generate():
        pass
next(Answers())
"""


@contextmanager
def program(folder: Path, seconds: float, waits_for: str) -> Generator[int, None, None]:
    """A process whose thread takes from a file that is called as torch's loader."""
    package = folder / "torch" / "utils" / "data"
    package.mkdir(parents=True)
    (package / "dataloader.py").write_text(LOADER)
    (folder / "train.py").write_text(PROGRAM)
    command = [sys.executable, str(folder / "train.py"), str(package), str(seconds), waits_for]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.2)
        try:
            yield process.pid
        finally:
            process.kill()


def count_phases(pid: int, *, has_workers: bool) -> Counter[str]:
    return watch_program(pid, has_workers=has_workers).phases


def watch_program(pid: int, *, has_workers: bool = False) -> SampleTally:
    process = WatchedProcess(JobProcess(pid, 1, "python", "main", pid))
    process.prefetchers.has_workers = has_workers
    for _ in range(40):
        process.take_sample(time.monotonic())
        time.sleep(0.002)
    process.counters.close()
    return process.tally


def test_a_generator_waits_for_a_thread_in_the_loader(tmp_path: Path) -> None:
    with program(tmp_path, 30.0, "data") as pid:
        phases = count_phases(pid, has_workers=False)

    assert set(phases) == {"waiting"}


def test_a_thread_that_converts_what_it_has_taken(tmp_path: Path) -> None:
    """It is hardly ever seen in the loader, over which it iterates."""
    with program(tmp_path, 0.0, "converts") as pid:
        phases = count_phases(pid, has_workers=True)

    tells = sys.version_info >= (3, 11)  # which of the kernel's threads it is
    assert phases["converting" if tells else "waiting"] > 30
    assert phases["blocked"] < 4


def test_a_queue_of_answers_is_no_data(tmp_path: Path) -> None:
    """The thread that loads has filled its queue, and the main one waits for another."""
    with program(tmp_path, 0.0, "answers") as pid:
        phases = count_phases(pid, has_workers=True)

    assert set(phases) == {"blocked"}


def test_a_queue_that_a_loader_of_threads_may_fill_counts(tmp_path: Path) -> None:
    """Nothing here is torch's: what `next` waits for is all that there is."""
    with program(tmp_path, 0.0, "answers") as pid:
        phases = count_phases(pid, has_workers=False)

    assert set(phases) == {"waiting"}


def test_a_bare_queue_without_a_loader_is_not_known_to_be_in_time(tmp_path: Path) -> None:
    """The line is that of the thread which works."""
    with program(tmp_path, 0.0, "bare") as pid:
        tally = watch_program(pid)

    assert set(tally.phases) == {"blocked"}
    assert tally.fetch["queued"] == tally.phases["blocked"]
    assert {name for _, _, name in tally.steps} == {"work"}


def test_a_bare_queue_beside_a_loader_is_no_data(tmp_path: Path) -> None:
    with program(tmp_path, 0.0, "held") as pid:
        tally = watch_program(pid)

    assert set(tally.phases) == {"blocked"}
    assert tally.fetch["queued"] == 0
    assert {name for _, _, name in tally.steps} == {"get_bare"}


TORCH = "/x/site-packages/torch"
DATA = f"{TORCH}/utils/data"
PIN, LIB = f"{DATA}/_utils/pin_memory.py", "/usr/lib/python3.11"
LOOP = [(PIN, "do_one_step"), (PIN, "_pin_memory_loop"), (f"{LIB}/threading.py", "Thread.run")]
TAKES = (f"{LIB}/multiprocessing/queues.py", "Queue.get")
REBUILDS = [(f"{LIB}/multiprocessing/reduction.py", "DupFd.detach"), TAKES]
AT_REST = [(f"{LIB}/multiprocessing/connection.py", "Connection.poll"), TAKES]
MINE = [("/me/data.py", "stack"), ("/me/data.py", "Batch.pin_memory"), (PIN, "pin_memory")]
PINNING = [
    pytest.param(AT_REST, "waiting", False, id="no worker has delivered"),
    pytest.param(REBUILDS, "receiving", True, id="tensors are rebuilt"),
    pytest.param([(PIN, "pin_memory")], "receiving", False, id="a copy to pinned memory"),
    pytest.param(MINE[1:], "receiving", False, id="by the class of the batch"),
    pytest.param(MINE, "converting", False, id="which does more than that"),
]


def frames(rows: list[tuple[str, str]]) -> tuple[RemoteFrame, ...]:
    return tuple(
        RemoteFrame(CodeObject(path, name, b"", 1, 0, (n,)), n, n, n)
        for n, (path, name) in enumerate(rows)
    )


@pytest.mark.parametrize(("inner", "phase", "rebuilds"), PINNING)
def test_the_thread_that_pins_takes_batches_in(
    inner: list[tuple[str, str]], phase: str, rebuilds: bool
) -> None:
    main = [(f"{LIB}/threading.py", "Condition.wait"), (f"{LIB}/queue.py", "Queue.get")]
    loader = f"{DATA}/dataloader.py"
    main += [(loader, "_MultiProcessingDataLoaderIter._get_data"), ("/me/train.py", "main")]
    idle = ThreadStack(1, 8, frames([*AT_REST, *LOOP]))
    busy = ThreadStack(2, 9, frames([*inner, *LOOP]))
    reader: Any = SimpleNamespace(other_threads=(idle, busy))

    stack = frames(main)
    found = PrefetchThreads().find_cause(reader, classify_main_stack(stack), stack)

    assert (found.phase.value, found.rebuilds) == (phase, rebuilds)
    assert found.thread == (8 if phase == "waiting" else 9)
