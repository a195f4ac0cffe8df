"""PDR704 speaks when the workers and their threads find no room, and only then."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Finding, Severity
from pipedoctor.collect.limits import limits as collected
from pipedoctor.collect.machine import Machine
from pipedoctor.facts import Facts, Limits, Loader, Rlimit, Site, Slurm, Threads
from pipedoctor_checks.limits.process_limit_reached import process_limit_reached

BARE = Site(system="linux")
DOCKER = Site(system="linux", container="docker")
POD = Site(system="linux", container="kubernetes")
SLURM = Site(system="linux", slurm=Slurm(job_id="7"))
FILES = Rlimit(soft=1024, hard=1024)
GROUP = "/sys/fs/cgroup/user.slice/user-1000.slice/pids.max"
EIGHT = Loader(num_workers=8)  # 33 threads


def user(used: int | None, soft: int | None, hard: int | None = 9999) -> Limits:
    nproc = Rlimit(soft=soft, hard=hard)
    return Limits(nofile=FILES, nproc=nproc, user_threads=used)


def group(used: int | None, most: int | None) -> Limits:
    return Limits(nofile=FILES, pids_max=most, pids_current=used, pids_source=GROUP)


def system(used: int | None, most: int, pids: int = 1 << 22) -> Limits:
    return Limits(nofile=FILES, threads_max=most, pid_max=pids, system_threads=used)


def only(
    limits: Limits,
    loader: Loader | None = None,
    threads: Threads | None = None,
    site: Site | None = BARE,
) -> Finding:
    (finding,) = process_limit_reached(limits, loader, threads, site)
    return finding


@pytest.mark.parametrize(
    ("limits", "loader", "threads"),
    [
        pytest.param(user(89, 100), None, None, id="some room, no job"),
        pytest.param(user(7, 12), None, None, id="no job, room for one worker"),
        pytest.param(user(7, 12), Loader(ranks=8), None, id="its workers not known"),
        pytest.param(user(67, 100), EIGHT, None, id="exactly enough for a job"),
        pytest.param(user(89, 100), Loader(num_workers=0), None, id="a job without workers"),
        pytest.param(user(89, 100), Loader(ranks=8), None, id="workers not known"),
        pytest.param(
            user(89, 100),
            Loader(num_workers=8, origin={"num_workers": "pid 9"}),
            None,
            id="workers that run are counted already",
        ),
        pytest.param(
            user(43, 100),
            EIGHT,
            Threads(asked={"OMP_NUM_THREADS": 4}),
            id="exactly enough with pools",
        ),
        pytest.param(group(89, 100), None, None, id="group with room"),
        pytest.param(system(89, 100), None, None, id="system with room"),
    ],
)
def test_silent(limits: Limits, loader: Loader | None, threads: Threads | None) -> None:
    assert process_limit_reached(limits, loader, threads, BARE) == []


@pytest.mark.parametrize(
    ("limits", "loader", "threads", "severity", "summary"),
    [
        pytest.param(
            user(68, 100),
            EIGHT,
            None,
            Severity.BREAKS,
            "68 of 100 threads of this user (RLIMIT_NPROC), but 8 workers need 33 more",
            id="one too few",
        ),
        pytest.param(
            user(96, 100),
            Loader(num_workers=1),
            None,
            Severity.BREAKS,
            "96 of 100 threads of this user (RLIMIT_NPROC), but 1 worker needs 5 more",
            id="not even one worker",
        ),
        pytest.param(
            user(35, 100),
            Loader(num_workers=8, ranks=2),
            None,
            Severity.BREAKS,
            "35 of 100 threads of this user (RLIMIT_NPROC), but 16 workers need 66 more",
            id="ranks add up",
        ),
        pytest.param(
            user(44, 100),
            EIGHT,
            Threads(asked={"OMP_NUM_THREADS": 4, "MKL_NUM_THREADS": 1}),
            Severity.RISKS,
            ("44 of 100 threads of this user (RLIMIT_NPROC), but 8 workers need up to 57 more"),
            id="no room for the pools",
        ),
        pytest.param(
            user(90, 100),
            None,
            None,
            Severity.RISKS,
            "90 of 100 threads of this user (RLIMIT_NPROC)",
            id="nearly used up",
        ),
        pytest.param(
            user(8, 12),
            None,
            None,
            Severity.RISKS,
            ("8 of 12 threads of this user (RLIMIT_NPROC), but 1 worker needs up to 5 more"),
            id="no job, no room for one worker",
        ),
        pytest.param(
            user(100, 100),
            None,
            None,
            Severity.BREAKS,
            "100 of 100 threads of this user (RLIMIT_NPROC)",
            id="used up",
        ),
        pytest.param(
            group(90, 100),
            EIGHT,
            None,
            Severity.BREAKS,
            ("90 of 100 threads of the control group (pids.max), but 8 workers need 33 more"),
            id="group",
        ),
        pytest.param(
            system(90, 100),
            None,
            None,
            Severity.RISKS,
            "90 of 100 threads of the system (kernel.threads-max)",
            id="system",
        ),
        pytest.param(
            system(90, 1000, 100),
            None,
            None,
            Severity.RISKS,
            "90 of 100 threads of the system (kernel.pid_max)",
            id="numbers of processes",
        ),
    ],
)
def test_speaks(
    limits: Limits,
    loader: Loader | None,
    threads: Threads | None,
    severity: Severity,
    summary: str,
) -> None:
    finding = only(limits, loader, threads)

    assert (finding.severity, finding.summary) == (severity, summary)


def test_evidence() -> None:
    threads = Threads(asked={"OMP_NUM_THREADS": 4})

    assert only(group(90, 100), EIGHT, threads).evidence == {
        "limits.pids_max": 100,
        "in_use": 90,
        "needed": 33,
        "needed.with_pools": 57,
        "limits.pids_source": GROUP,
    }


def test_the_part_that_is_full_is_a_setting() -> None:
    assert process_limit_reached(user(90, 100), None, None, BARE, full=0.91) == []


def lines(finding: Finding) -> list[str]:
    return [remedy.shell or remedy.snippet for remedy in finding.remedies]


FEWER = "export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1"
LOGINS = "# /etc/security/limits.d/90-nproc.conf\n* soft nproc 4096\n* hard nproc {}"


@pytest.mark.parametrize(
    ("hard", "first"),
    [
        pytest.param(9999, ["ulimit -u 4096"], id="room under the hard limit"),
        pytest.param(None, ["ulimit -u 4096"], id="no hard limit"),
        pytest.param(101, ["ulimit -u 101"], id="little room"),
    ],
)
def test_for_the_user(hard: int | None, first: list[str]) -> None:
    finding = only(user(90, 100, hard))
    for_good = finding.remedies[len(first)]

    assert lines(finding) == [*first, LOGINS.format(max(4096, hard or 0)), FEWER]
    assert (for_good.root, for_good.advice) == (True, True)


def test_for_a_user_at_the_hard_limit() -> None:
    at_once = "sudo prlimit --pid $$ --nproc=4096:4096"

    assert lines(only(user(90, 100, 100))) == [FEWER, at_once, LOGINS.format(4096)]


def test_what_a_user_can_do_without_root_comes_first() -> None:
    finding = only(user(5, 40, 40), Loader(num_workers=16))

    assert lines(finding)[0] == "DataLoader(..., num_workers=8)"


@pytest.mark.parametrize(("hard", "word"), [(9999, "9999"), (None, "unlimited")])
def test_for_a_running_job(hard: int | None, word: str) -> None:
    limit = Rlimit(soft=100, hard=hard)
    finding = only(Limits(nofile=FILES, nproc=limit, user_threads=90, pid=4711))
    remedy = finding.remedies[0]

    assert remedy.shell == f"prlimit --pid 4711 --nproc=4096:{word}"
    assert remedy.undo == ("prlimit", "--pid", "4711", f"--nproc=100:{word}")
    assert remedy.verify == ("prlimit", "--pid", "4711", "--nproc")
    assert remedy.automatic


@pytest.mark.parametrize(
    ("site", "line", "advice"),
    [
        (BARE, "sudo systemctl set-property user-1000.slice TasksMax=4096", True),
        (DOCKER, "docker run --pids-limit=4096", False),
        (POD, "podPidsLimit: 4096  # the kubelet's configuration", True),
        (SLURM, "TasksMax=4096  # slurmd.service", True),
    ],
)
def test_for_the_group(site: Site, line: str, *, advice: bool) -> None:
    finding = only(group(90, 100), site=site)

    assert lines(finding)[0] == line
    assert finding.remedies[0].advice is advice
    assert not any(remedy.automatic for remedy in finding.remedies)


def test_a_large_job_gets_twice_its_need() -> None:
    finding = only(group(90, 100), Loader(num_workers=1000), site=DOCKER)

    assert lines(finding)[0] == "docker run --pids-limit=8182"


@pytest.mark.parametrize(
    ("limits", "name", "before", "after"),
    [
        (system(90, 100), "kernel.threads-max", 100, 4096),
        (system(9000, 1 << 20, 10000), "kernel.pid_max", 10000, 20000),
    ],
)
def test_for_the_system(limits: Limits, name: str, before: int, after: int) -> None:
    remedy = only(limits).remedies[0]

    assert remedy.shell == f"sudo sysctl -w {name}={after}"
    assert remedy.undo == ("sysctl", "-w", f"{name}={before}")


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(Limits(nofile=FILES), id="nothing"),
        pytest.param(user(None, 100), id="use of the user"),
        pytest.param(user(100, None), id="no limit of the user"),
        pytest.param(group(None, 100), id="use of the group"),
        pytest.param(system(None, 100), id="use of the system"),
    ],
)
def test_unknown_is_not_health(limits: Limits, snapshot: SnapshotAssertion) -> None:
    verdict = process_limit_reached.run(Facts(limits))

    assert verdict.skipped == snapshot


def test_root_passes_the_limit_of_users() -> None:
    nproc = Rlimit(soft=100, hard=100)
    root = Limits(nofile=FILES, nproc=nproc, user_threads=100, exempt_from_nproc=True)

    assert process_limit_reached.run(Facts(root)).skipped


def test_judges_another_machine_from_its_record() -> None:
    facts = Facts(group(90, 100), EIGHT, BARE)
    record: dict[str, Any] = json.loads(json.dumps(facts.to_record()))

    verdict = process_limit_reached.run(Facts.from_record(record))

    assert list(verdict.findings) == [only(group(90, 100), EIGHT)]


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
