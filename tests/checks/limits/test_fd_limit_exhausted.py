"""PDR703 speaks when open files run out, or will; 1024 of them is only a note."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.limits import limits as collected
from pipedoctor.facts import Facts, Limits, Loader, Site
from pipedoctor_checks.limits.fd_limit_exhausted import fd_limit_exhausted
from tests.checks.limits.descriptor_samples import BARE, ROOMY, job, only, running, shell, system


@pytest.mark.parametrize(
    ("limits", "loader"),
    [
        pytest.param(shell(1025), None, id="more than usual, no job"),
        pytest.param(shell(None), job(64), id="no limit"),
        pytest.param(shell(256), job(0), id="few, no workers"),
        pytest.param(shell(1025), Loader(ranks=8), id="workers not known"),
        pytest.param(shell(1100), job(128), id="exactly enough"),
        pytest.param(shell(1100), job(128, ranks=8), id="ranks do not add up"),
        pytest.param(shell(1100), job(64, loaders=2), id="two loaders, each half"),
        pytest.param(shell(1356), job(128, prefetch_factor=3), id="longer queue"),
        pytest.param(running(2000, 1599), None, id="job below its limit"),
        pytest.param(
            running(2000, 700),
            job(500, origin={"num_workers": "pid 4711"}),
            id="workers that run are counted already",
        ),
        pytest.param(system(799, 1000), None, id="system with room"),
        pytest.param(system(None, 1000), None, id="use of the system not known"),
        pytest.param(system(1000, None), None, id="limit of the system not known"),
    ],
)
def test_silent(limits: Limits, loader: Loader | None) -> None:
    assert fd_limit_exhausted(limits, loader, BARE, None) == []


@pytest.mark.parametrize(
    ("limits", "loader", "severity", "summary"),
    [
        pytest.param(
            shell(27),
            job(4),
            Severity.BREAKS,
            "27 open files are allowed, but 4 workers need at least 28",
            id="cannot start",
        ),
        pytest.param(
            shell(15),
            job(1),
            Severity.BREAKS,
            "15 open files are allowed, but 1 worker needs at least 16",
            id="not even one worker",
        ),
        pytest.param(
            shell(28),
            job(4),
            Severity.RISKS,
            "28 open files are allowed, but 4 workers need up to 108",
            id="starts, no more",
        ),
        pytest.param(
            shell(1099),
            job(128),
            Severity.RISKS,
            "1099 open files are allowed, but 128 workers need up to 1100",
            id="one too few",
        ),
        pytest.param(
            shell(1355),
            job(128, prefetch_factor=3),
            Severity.RISKS,
            "1355 open files are allowed, but 128 workers need up to 1356",
            id="one too few for a longer queue",
        ),
        pytest.param(
            shell(255),
            None,
            Severity.RISKS,
            "only 255 open files are allowed; 1024 is usual",
            id="few for any job",
        ),
        pytest.param(
            shell(256),
            None,
            Severity.NOTE,
            "256 open files are allowed: few for a loop that keeps batches",
            id="less than usual",
        ),
        pytest.param(
            shell(1024),
            job(2),
            Severity.NOTE,
            "1024 open files are allowed: few for a loop that keeps batches",
            id="the usual shell, a known job",
        ),
        pytest.param(
            running(2000, 1600),
            None,
            Severity.RISKS,
            "process 4711 has 1600 of 2000 files open",
            id="running job near its limit",
        ),
        pytest.param(
            running(2000, 2000),
            None,
            Severity.BREAKS,
            "process 4711 has 2000 of 2000 files open",
            id="running job at its limit",
        ),
        pytest.param(
            running(100, 81),
            job(64),
            Severity.BREAKS,
            "100 open files are allowed, but 64 workers need at least 268",
            id="what breaks is said before what might",
        ),
        pytest.param(
            system(800, 1000),
            None,
            Severity.RISKS,
            "all programs together have 800 of 1000 files open",
            id="system nearly full",
        ),
        pytest.param(
            system(1000, 1000),
            None,
            Severity.BREAKS,
            "all programs together have 1000 of 1000 files open",
            id="system full",
        ),
    ],
)
def test_speaks(limits: Limits, loader: Loader | None, severity: Severity, summary: str) -> None:
    finding = only(limits, loader)

    assert (finding.severity, finding.summary) == (severity, summary)


def test_evidence() -> None:
    assert only(shell(27, 4096), job(4)).evidence == {
        "limits.nofile.soft": 27,
        "limits.nofile.hard": 4096,
        "workers": 4,
        "needed": 28,
        "needed.plain": 108,
    }
    assert only(running(100, 90)).evidence == {
        "limits.nofile.soft": 100,
        "limits.nofile.hard": ROOMY,
        "limits.open_files": 90,
    }


def test_thresholds_are_settings() -> None:
    assert fd_limit_exhausted(shell(1024), None, BARE, None, usual=1023) == []
    assert fd_limit_exhausted(shell(300), None, BARE, None, least=301)[0].severity > 1
    assert fd_limit_exhausted(running(2000, 1600), None, BARE, None, full=0.9) == []
    assert fd_limit_exhausted(shell(1100), job(128), BARE, None, tensors=3)
    assert fd_limit_exhausted(shell(1100), job(128), BARE, None, spare=65)


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    nothing = fd_limit_exhausted.run(Facts(unknown={"limits": "no /proc"}))
    mac = fd_limit_exhausted.run(Facts(shell(256), Site(system="darwin")))

    assert nothing.skipped == "limits: no /proc"
    assert mac.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(running(2000, 1600), job(4), BARE)
    record: dict[str, Any] = json.loads(json.dumps(facts.to_record()))

    verdict = fd_limit_exhausted.run(Facts.from_record(record))

    assert list(verdict.findings) == [only(running(2000, 1600), job(4))]


LOOP = """
import os, sys, torch
from torch.utils.data import DataLoader
class Pair(torch.utils.data.Dataset):
    def __len__(self): return 600
    def __getitem__(self, i): return torch.ones(8), torch.ones(1)
kept = []
loader = iter(DataLoader(Pair(), batch_size=2, num_workers=int(sys.argv[1])))
print("ready", flush=True)
sys.stdin.readline()
for batch in loader:
    if len(sys.argv) > 2: kept.append(batch)
print("done", flush=True)
os._exit(0)
"""


@contextlib.contextmanager
def loop(limit: int, *args: str) -> Generator[subprocess.Popen[str], None, None]:
    """A real DataLoader that waits to be told to go on."""
    pytest.importorskip("torch")
    prlimit = ("prlimit", f"--nofile={limit}:")
    with subprocess.Popen(
        [*prlimit, sys.executable, "-W", "ignore", "-c", LOOP, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()


def ends(limit: int, *args: str, first: tuple[tuple[str, ...], ...] = ()) -> str:
    """Run it to its end, after commands about the process PID; what it said last."""
    with loop(limit, *args) as process:
        assert process.stdout
        said = process.stdout.readline()
        for argv in first:
            pid = str(process.pid)
            subprocess.run([w.replace("PID", pid) for w in argv], check=True)
        out, err = process.communicate("go\n", timeout=60)
        return (said + out + err).strip().splitlines()[-1]


@pytest.mark.extended
@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
@pytest.mark.parametrize("workers", [2, 8])
def test_the_arithmetic_holds_for_real_workers(workers: int) -> None:
    need = only(shell(8), job(workers)).evidence

    assert "Too many open files" in ends(need["needed"] - 8, str(workers))
    assert ends(need["needed.plain"] - 64, str(workers)) == "done"


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_a_loop_that_keeps_batches_dies_is_cured_and_dies_again() -> None:
    """600 tensors are kept; 300 descriptors are too few for them."""
    with loop(300, "2", "keep") as process:
        assert process.stdout
        process.stdout.readline()
        ill = collected(Machine(pid=process.pid), lambda _: None)
        (finding,) = fd_limit_exhausted(ill, job(100), BARE, None)
    cure = finding.remedies[0]
    argv, undo = (
        tuple(word.replace(str(ill.pid), "PID") for word in command)
        for command in (cure.argv, cure.undo)
    )

    assert (ill.nofile.soft, finding.severity) == (300, Severity.BREAKS)
    assert "Too many open files" in ends(300, "2", "keep")
    assert ends(300, "2", "keep", first=(argv,)) == "done"
    assert "Too many open files" in ends(300, "2", "keep", first=(argv, undo))
