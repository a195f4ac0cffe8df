"""A /dev/shm that is really too small: loaders die of it, and the remedy cures them."""

import shlex
import signal
import subprocess
import sys

import pytest

from pipedoctor.facts import Loader, Shm
from pipedoctor.units import GiB, KiB, MiB
from tests.checks.shm_samples import HOST, judge

ILL = ("mount", "-t", "tmpfs", "-o", "size={}", "tmpfs", "/dev/shm")

LOOPS = """
import os, subprocess, sys, time, traceback, torch
from torch.utils.data import DataLoader, Dataset
workers, prefetch, size = map(int, sys.argv[1:])
class Images(Dataset):
    def __len__(self): return 4 * workers * prefetch + 4
    def __getitem__(self, index): return torch.zeros(size, dtype=torch.uint8)
def loop(keeps_the_last):
    loader = DataLoader(Images(), 1, num_workers=workers, prefetch_factor=prefetch)
    for batch in loader:
        time.sleep(0.1)
        if keeps_the_last: last = batch
for line in sys.stdin:
    how, commands = line.split(" ", 1)
    subprocess.run(commands, shell=True, check=True)
    said, tell = os.pipe()
    if not os.fork():
        os.dup2(tell, 2)
        ended = 0
        try: loop(how == "keep")
        except BaseException:
            ended = 1
            traceback.print_exc()
        os._exit(ended)
    os.close(tell)
    with open(said) as text: words = text.read().split()
    print(os.wait()[1], *words, flush=True)
"""
"""Loads torch once; for each line a fork of it loops where these commands were run."""

Ill = tuple[str, int, tuple[tuple[str, ...], ...]]


def looped(workers: int, prefetch: int, size: int, *ills: Ill) -> list[str]:
    """How a loop over so many bytes ends, each with its /dev/shm: status and words."""
    lines: list[str] = []
    for how, room, commands in ills:
        steps = (tuple(word.format(room) for word in ILL), *commands)
        lines.append(f"{how} {' && '.join(map(shlex.join, steps))}\n")
    numbers = map(str, (workers, prefetch, size))
    done = subprocess.run(
        ["unshare", "-m", sys.executable, "-W", "ignore", "-c", LOOPS, *numbers],
        check=True,
        capture_output=True,
        text=True,
        input="".join(lines),
    )
    return done.stdout.splitlines()


def sick(
    size: int, commands: tuple[tuple[str, ...], ...], *program: str
) -> subprocess.CompletedProcess[str]:
    """How a program ends on so large a /dev/shm, after these commands."""
    ill = tuple(word.format(size) for word in ILL)
    steps = (ill, *commands, ("exec", sys.executable, "-W", "ignore", "-c", *program))
    script = " && ".join(map(shlex.join, steps))
    shell = ["unshare", "-m", "sh", "-c", script]
    return subprocess.run(shell, check=False, capture_output=True, text=True)


@pytest.mark.root
def test_the_illness_is_real_and_the_remedy_cures_it() -> None:
    small = Shm(size=1 * MiB, remountable=True)
    job = Loader(num_workers=1, prefetch_factor=3, batch_bytes=1 * MiB)
    remedy = judge(small, job)[0].remedies[0]
    send = (
        "import mmap; batch = open('/dev/shm/batch', 'wb+'); batch.truncate(3 << 20);"
        "mmap.mmap(batch.fileno(), 0).write(bytes(3 << 20))"
    )

    def ends(*commands: tuple[str, ...]) -> int:
        return sick(1 * MiB, commands, send).returncode

    assert ends() == -signal.SIGBUS
    assert ends(remedy.argv) == 0
    assert ends(remedy.argv, remedy.undo) == -signal.SIGBUS


@pytest.mark.root
def test_a_read_only_mount_is_cured() -> None:
    (finding,) = judge(Shm(size=GiB, read_only=True, remountable=True))
    remedy = finding.remedies[0]
    locked = ("mount", "-o", "remount,ro", "/dev/shm")
    lock = "import multiprocessing; multiprocessing.Lock()"

    def ends(*commands: tuple[str, ...]) -> int:
        return sick(64 * MiB, commands, lock).returncode

    assert ends(locked) == 1
    assert ends(locked, remedy.argv) == 0
    assert ends(locked, remedy.argv, remedy.undo) == 1


@pytest.mark.root
@pytest.mark.slow
def test_a_real_loader_dies_of_64_mib_and_the_remedy_saves_it() -> None:
    pytest.importorskip("torch")
    size = 16 * MiB
    job = Loader(num_workers=2, prefetch_factor=2, batch_bytes=size)
    remedy = judge(HOST, job)[0].remedies[0]

    ill, cured, ill_again = looped(
        *(2, 2, size),
        ("loop", 64 * MiB, ()),
        ("loop", 64 * MiB, (remedy.argv,)),
        ("loop", 64 * MiB, (remedy.argv, remedy.undo)),
    )
    assert ill[0] != "0"
    assert "shared memory" in ill
    assert cured == "0"
    assert ill_again[0] != "0"


@pytest.mark.extended
@pytest.mark.root
@pytest.mark.parametrize(("workers", "prefetch"), [(2, 2), (1, 3)])
def test_two_batches_in_use_is_what_torch_really_needs(workers: int, prefetch: int) -> None:
    """
    An ordinary loop holds a batch while it asks for the next one.

    How long both live is a matter of microseconds, so the test that one is too
    few lets go of the old one a step later.
    """
    pytest.importorskip("torch")
    size = 4 * MiB
    job = Loader(num_workers=workers, prefetch_factor=prefetch, batch_bytes=size)
    need = (job.bytes_in_flight or 0) + 64 * KiB  # for the semaphores of the queues

    enough, less, too_little = looped(
        *(workers, prefetch, size),
        ("loop", need, ()),
        ("keep", need - size, ()),
        ("loop", need - 2 * size, ()),
    )
    assert enough == "0"
    assert less[0] != "0"
    assert too_little[0] != "0"
