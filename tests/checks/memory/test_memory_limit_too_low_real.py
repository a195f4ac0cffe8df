"""A real job that its control group kills, and a larger limit that cures it."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.memory import memory
from pipedoctor.facts import Loader
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.memory.memory_limit_too_low import memory_limit_too_low

SHARED = Loader(num_workers=1, prefetch_factor=2, batch_bytes=32 * MiB)  # 96 MiB


@pytest.mark.root
def test_the_illness_is_real_and_a_larger_limit_cures_it(
    control_group: Callable[[str], Path],
    snapshot: SnapshotAssertion,
) -> None:
    small, large = control_group("memory"), control_group("memory")
    limit(small, 64 * MiB)
    limit(large, 2 * GiB)

    (finding,) = examine(small, SHARED)
    assert finding.severity is Severity.BREAKS
    assert share(small, 96 * MiB) == -signal.SIGKILL
    assert examine(large, SHARED) == []
    assert share(large, 96 * MiB) == 0

    limit(small, 2 * GiB)
    (scar,) = examine(small, SHARED)
    assert scar.summary == snapshot


def limit(group: Path, size: int) -> None:
    name = "memory.limit_in_bytes"
    if (group / "memory.max").exists():
        name = "memory.max"
    if (group / "memory.swap.max").exists():
        (group / "memory.swap.max").write_text("0")
    (group / name).write_text(str(size))


def joined(group: Path, code: str) -> list[str]:
    """How to run Python in this group."""
    join = f'echo $$ > {group}/cgroup.procs && exec "$@"'
    return ["sh", "-c", join, "sh", sys.executable, "-c", code]


def share(group: Path, size: int) -> int:
    """How a process of this group ends that fills shared memory as workers do."""
    fill = (
        f"import mmap; shared = mmap.mmap(-1, {size})\n"
        f"for _ in range({size // MiB}): shared.write(bytes(1 << 20))"
    )
    return subprocess.run(joined(group, fill), check=False).returncode


def examine(group: Path, loader: Loader) -> list[Finding]:
    pipe = subprocess.PIPE
    wait = joined(group, "print(flush=True); input()")
    with subprocess.Popen(wait, stdin=pipe, stdout=pipe) as job:
        assert job.stdout is not None
        job.stdout.readline()
        seen = memory(Machine(pid=job.pid), lambda _: None)
        job.communicate(b"\n")
    return memory_limit_too_low(seen, loader, None)


@pytest.mark.extended
def test_a_worker_needs_about_what_we_say() -> None:
    pytest.importorskip("torch")
    code = """
import psutil
from torch.utils.data import DataLoader
if __name__ == "__main__":
    loader = DataLoader([1], num_workers=1, multiprocessing_context="fork")
    batches = iter(loader)
    (worker,) = batches._workers
    print(psutil.Process(worker.pid).memory_full_info().uss)
    print(psutil.Process().memory_full_info().pss)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    worker, main = map(int, done.stdout.split())

    assert 2 * MiB < worker < 40 * MiB
    assert 40 * MiB < main < 400 * MiB
