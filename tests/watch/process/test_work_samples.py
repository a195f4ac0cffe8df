"""What a worker waits for: a mapped page, a lock, or others that compute for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipedoctor.runtime.system_calls import DESCRIPTOR, NOTHING, PAGE_FAULT, SystemCall
from pipedoctor.watch.observation.observe import compute_fetch_shares
from pipedoctor.watch.process.call_targets import count_requested_bytes
from pipedoctor.watch.process.work_samples import SampleSource, count_work
from pipedoctor.watch.samples.item_times import ItemTimes
from pipedoctor.watch.samples.tally import SampleTally
from pipedoctor.watch.stacks.stack_phases import ProcessPhase, StackSample
from pipedoctor.watch.system import process_tree
from pipedoctor.watch.system.process_counters import (
    BlockingCall,
    ProcessCounters,
    find_largest_mapping,
    parse_blocking_call,
)
from pipedoctor.watch.system.process_tree import list_job_processes

LINE = ("/code/train.py", 3, "load")
MAPS = """\
55d0 r--p 00000000 fe:00 1 /usr/bin/python3
7f00000000-7f40000000 r-xp 00000000 fe:00 2 /usr/lib/libtorch.so
7f40000000-7f40800000 r--p 00000000 fe:00 2 /usr/lib/libtorch.so
7f50000000-7f50400000 r--s 00000000 fe:00 3 /data/shard 7.arrow
7f60000000-7f60100000 r--s 00000000 fe:00 4 /data/index
7f70000000-7f79000000 rw-s 00000000 00:1b 5 /dev/shm/torch_1
7f80000000-7f99000000 rw-p 00000000 00:00 0
"""


def test_a_page_of_a_mapped_file_is_waited_for_without_a_call() -> None:
    waits = parse_blocking_call("-1 0x7ffd 0x7f12\n")

    assert waits is not None
    assert waits.call is PAGE_FAULT
    assert parse_blocking_call("running\n") is None
    assert parse_blocking_call("") is None


def test_the_largest_file_that_is_no_code() -> None:
    assert find_largest_mapping(MAPS.partition("\n")[2]) == "/data/shard 7.arrow"
    assert find_largest_mapping("") == ""


def delegating(others: float) -> SampleTally:
    """Half of 10 s in a wait for others, which take so many CPU seconds meanwhile."""
    tally = SampleTally(seconds=10.0, cpu=1.0 + others, main_cpu=1.0)
    tally.phases.update(fetching=50, idle=50)
    tally.fetch.update(waiting=50, delegated=50)
    tally.delegated[LINE] = 50
    return tally


@pytest.mark.parametrize(("others", "running"), [(0.0, 0.0), (2.5, 0.5), (5.0, 1.0), (9.0, 1.0)])
def test_waiting_for_threads_that_compute_is_computing(others: float, running: float) -> None:
    shares = compute_fetch_shares(delegating(others))

    assert shares.running + shares.delayed == pytest.approx(running)
    assert shares.waiting == pytest.approx(1 - running)
    assert shares.system == 0.0


@pytest.mark.parametrize(("locks", "locked", "slept"), [(True, 1, 0), (False, 0, 1)])
def test_sleeping_within_a_library_of_locks_waits_for_a_lock(
    locks: bool, locked: int, slept: int
) -> None:
    tally, sleep = SampleTally(), BlockingCall(SystemCall("clock_nanosleep", NOTHING), (0,) * 6)
    sample = StackSample(ProcessPhase.FETCHING, None, locks=locks)
    counters = ProcessCounters(os.getpid())
    source = SampleSource(counters, None)
    count_work(tally, sample, LINE, sleep, source, running=False)
    counters.close()

    assert (tally.fetch["locked"], tally.slept[LINE]) == (locked, slept)


def test_a_number_that_is_none_of_bytes_is_not_counted() -> None:
    """The call was over, and something else lay where its buffers were described."""
    read, buffers = SystemCall("read", DESCRIPTOR), SystemCall("preadv2", DESCRIPTOR)
    sizes = [4096, 0x7FFF_F000, 0x7FFF_F001, 15_630_397_989_357]
    found = [count_requested_bytes(BlockingCall(read, (3, 0, size)), None) for size in sizes]

    assert found == [4096, 0x7FFF_F000, None, None]
    assert count_requested_bytes(BlockingCall(read, (3,)), None) is None
    assert count_requested_bytes(BlockingCall(buffers, (3, 0, 1)), None) is None


def test_programs_count_as_threads_do() -> None:
    tally = delegating(0.0)
    tally.children = 5.0

    assert compute_fetch_shares(tally).running == pytest.approx(1.0)


def test_programs_wait_for_a_cpu_as_their_worker_does() -> None:
    """While others run, little of their time is time in which they compute."""
    tally = delegating(0.0)
    tally.children, tally.main_cpu, tally.delay = 1.0, 1.0, 4.0

    assert compute_fetch_shares(tally).running == pytest.approx(1.0)
    tally.delay = 0.0
    assert compute_fetch_shares(tally).running == pytest.approx(0.2)


def test_items_that_are_made_together() -> None:
    """A slow batch is as slow as a slow item: against what is usual."""
    times = ItemTimes()
    for number in range(4):
        times.observe_item((7, None), 0.1 * number, 0.0, waits=True, length=8)
    times.observe_item((8, None), 0.31, 0.0, waits=True, length=8)
    times.observe_item((8, None), 0.32, 0.0, waits=True, length=8)
    times.finish_item()

    assert list(times) == [(pytest.approx(0.3 / 8), 4), (0.0, 2)]


def test_an_item_takes_what_it_computes_and_waits() -> None:
    """Not the time without a CPU, which the kernel counts when it is over."""
    times = ItemTimes()
    times.observe_item((1, 0), 0.0, 5.0, waits=False)
    times.observe_item((1, 0), 0.2, 5.05, waits=False)
    times.observe_item((1, 0), 0.4, 5.05, waits=False)
    times.observe_item((1, 0), 0.5, 5.05, waits=True)
    times.observe_item((1, 1), 0.6, 5.05, waits=True)
    times.observe_item((1, 1), 0.7, None, waits=False)
    times.finish_item()

    assert [(round(seconds, 6), looks) for seconds, looks in times] == [(0.15, 4), (0.1, 2)]


FORKS = """
import os, sys, time
maps = open(sys.argv[1])
print(os.getpid(), flush=True)
if os.fork() == 0:
    time.sleep(9)
    os._exit(0)
print("forked", flush=True)
time.sleep(9)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_fork_that_is_not_a_worker_yet_leads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the fork and its name, a worker looks like a program of its own."""
    monkeypatch.setattr(process_tree, "_YOUNG_SECONDS", 600.0)  # however slow this machine is
    library = tmp_path / "libtorch_like.so"
    library.write_bytes(b"\0" * 4096)
    source = FORKS.replace(
        "maps = open(sys.argv[1])",
        "import mmap; maps = mmap.mmap(os.open(sys.argv[1], 0), 4096, prot=mmap.PROT_READ)",
    )
    command = [sys.executable, "-c", source, str(library)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        members = list_job_processes(process.pid)
        counters = ProcessCounters(process.pid)
        mapped = counters.find_mapped_file()
        counters.close()
        process.kill()

    roles = {member.pid: member.role for member in members}
    assert roles.pop(process.pid) == "main"
    assert set(roles.values()) == {"helper"}
    assert mapped


@pytest.mark.parametrize(("waits", "waiting"), [(25, 1.0), (2, 2 / 62)])
def test_the_kernel_takes_its_time_for_small_reads(
    tmp_path: Path, waits: int, waiting: float
) -> None:
    """That is no decoding, unless nobody waits: then the pages are in memory."""
    file = tmp_path / "items.py"
    file.write_text("os.preadv(handle, [buffer], place)\n")
    tally = SampleTally(seconds=1.0, cpu=0.6, main_cpu=0.6)
    tally.phases.update(fetching=60 + waits)
    tally.fetch.update(running=60, waiting=waits, reading=waits)
    tally.kinds[str(file), 1, "read"] = 60

    shares = compute_fetch_shares(tally)
    assert shares.waiting == pytest.approx(waiting)
    assert shares.decoding == (0.0 if waits > 15 else 1.0)
