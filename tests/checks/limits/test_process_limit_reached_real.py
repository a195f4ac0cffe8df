"""Limits of processes that are really reached: workers die of them, and the remedy cures them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.check import Finding, Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.limits import limits as collected
from pipedoctor.facts import Loader
from pipedoctor_checks.limits.process_limit_reached import process_limit_reached
from tests.checks.limits.process_limits import BARE

LOOP = """
import numpy.random, os, resource, sys, torch
from torch.utils.data import DataLoader
torch.set_num_threads(1)
def run():
    for _ in DataLoader([1, 2, 3, 4] * 20, batch_size=2, num_workers=2): pass
sys.stdin.readline()
if len(sys.argv) > 1:
    run()  # what it imports, another user might not be able to read
    nproc = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NPROC, (nproc, 200))
    os.setgroups([]); os.setgid(4242); os.setuid(4242)
    print("ready", flush=True)
    sys.stdin.readline()
run()
print("done", flush=True)
os._exit(0)
"""
Step = Callable[[int], object]


def job(*args: str, enter: Step = lambda _: None, then: Step = lambda _: None) -> str:
    """A real DataLoader with two workers; what it said last."""
    pytest.importorskip("torch")
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", LOOP, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        enter(process.pid)
        if args:
            process.stdin.write("go\n")
            process.stdin.flush()
            process.stdout.readline()
        then(process.pid)
        out, err = process.communicate("go\n", timeout=60)
        said = (out + err).strip().splitlines()
    return "done" if "done" in said else "\n".join(said[-3:])


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.root
def test_a_control_group_without_room_is_real(
    control_group: Callable[[str], Path],
) -> None:
    pids = control_group("pids")
    loader = Loader(num_workers=2)
    found: list[Finding] = []

    def enter(pid: int) -> None:
        (pids / "cgroup.procs").write_text(str(pid))

    def look(pid: int) -> None:
        seen = collected(Machine(pid=pid), lambda _: None)
        found.extend(process_limit_reached(seen, loader, None, BARE))

    (pids / "pids.max").write_text("6")
    ill = job(enter=enter, then=look)
    (pids / "pids.max").write_text("40")
    well = job(enter=enter, then=look)

    assert ill != "done"
    assert well == "done"
    (finding,) = found
    assert finding.severity is Severity.BREAKS
    assert finding.evidence["limits.pids_source"] == str(pids / "pids.max")


@pytest.mark.slow
@pytest.mark.root
def test_a_user_without_room_is_real_and_the_remedy_cures_him() -> None:
    loader = Loader(num_workers=2)
    found: list[Finding] = []

    def look(pid: int) -> None:
        seen = collected(Machine(pid=pid), lambda _: None)
        found.extend(process_limit_reached(seen, loader, None, BARE))

    def as_he_would(argv: tuple[str, ...]) -> None:
        subprocess.run(argv, check=True, user=4242, group=4242)

    def cure(pid: int) -> None:
        look(pid)
        as_he_would(found[-1].remedies[0].argv)

    def undo(pid: int) -> None:
        cure(pid)
        as_he_would(found[-1].remedies[0].undo)

    assert job("6", then=look) != "done"
    assert job("6", then=cure) == "done"
    assert job("6", then=undo) != "done"
    assert {f.severity for f in found} == {Severity.BREAKS}
    assert {next(iter(f.evidence)) for f in found} == {"limits.nproc.soft"}
