"""PDR720 speaks where programs see more CPUs than the quota lets them use."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Finding, Severity
from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.cpu import cpu
from pipedoctor.facts import Cpu, Facts, Loader, Quota, Site, Slurm, Threads
from pipedoctor_checks.cpu.cgroup_cpu_quota_ignored import cgroup_cpu_quota_ignored

BARE = Site(system="linux")
DOCKER = Site(system="linux", container="docker")
POD = Site(system="linux", container="kubernetes")
SLURM = Site(system="linux", slurm=Slurm(job_id="7"))
EIGHT = Loader(num_workers=4, ranks=2)


def quota(cpus: float, throttled: int = 0, periods: int = 100) -> Quota:
    return Quota(
        cpus=cpus,
        source="/sys/fs/cgroup/user.slice/cpu.max",
        periods=periods,
        throttled_periods=throttled,
    )


def box(cpus: float = 4, throttled: int = 0, periods: int = 100) -> Cpu:
    return Cpu(logical=64, affinity=64, quota=quota(cpus, throttled, periods))


@pytest.mark.parametrize(
    "machine",
    [
        pytest.param(Cpu(logical=64, affinity=64), id="no quota"),
        pytest.param(box(64), id="quota of the whole machine"),
        pytest.param(Cpu(logical=64, affinity=4, quota=quota(4)), id="affinity says the same"),
        pytest.param(Cpu(logical=4, quota=quota(4)), id="affinity not known"),
    ],
)
def test_silent(machine: Cpu) -> None:
    assert cgroup_cpu_quota_ignored(machine, Loader(num_workers=99), BARE) == []


@pytest.mark.parametrize(
    ("machine", "loader"),
    [
        pytest.param(box(), None, id="no job known"),
        pytest.param(box(), Loader(num_workers=4), id="as many workers as the quota"),
        pytest.param(box(3.5), Loader(num_workers=4), id="quota rounded up"),
        pytest.param(box(), Loader(ranks=8), id="workers not known"),
        pytest.param(box(throttled=24), None, id="stopped now and then"),
        pytest.param(box(throttled=99, periods=99), None, id="too short a history"),
    ],
)
def test_a_healthy_container_gets_a_note(machine: Cpu, loader: Loader | None) -> None:
    (finding,) = cgroup_cpu_quota_ignored(machine, loader, DOCKER)

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.CERTAIN


@pytest.mark.parametrize(
    ("workers", "ranks", "each", "found"),
    [
        pytest.param(4, 1, 4, 0, id="both within the quota"),
        pytest.param(2, 2, 2, 0, id="of each rank"),
        pytest.param(1, 8, 1, 1, id="more ranks than CPUs"),
        pytest.param(4, 1, 5, 1, id="too many threads"),
        pytest.param(5, 1, 4, 1, id="too many workers"),
        pytest.param(None, 1, 4, 1, id="workers not known"),
        pytest.param(4, 1, None, 1, id="threads not set"),
    ],
)
def test_a_job_that_respects_its_quota(
    workers: int | None, ranks: int, each: int | None, found: int
) -> None:
    job = Loader(num_workers=workers, ranks=ranks)
    threads = Threads(asked={"OMP_NUM_THREADS": each} if each else {})

    assert len(cgroup_cpu_quota_ignored(box(), job, DOCKER, threads)) == found
    assert cgroup_cpu_quota_ignored(box(throttled=99), job, DOCKER, threads)


def test_note_in_words() -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(2.5), Loader(ranks=2), DOCKER)

    assert finding.summary == "the quota allows 2.5 CPUs, but Python and torch see 64"
    assert finding.evidence == {
        "cpu.quota.cpus": 2.5,
        "cpu.quota.source": "/sys/fs/cgroup/user.slice/cpu.max",
        "cpu.visible": 64,
        "loader.workers_on_node": None,
        "cpu.quota.throttled_share": 0.0,
    }
    code, run = finding.remedies
    assert code.snippet == "DataLoader(..., num_workers=1)"
    assert run.shell == "docker run -e OMP_NUM_THREADS=1"


def test_more_workers_than_quota_slow(snapshot: SnapshotAssertion) -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(), EIGHT, POD)

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == snapshot
    code, env, limits = finding.remedies
    assert code.snippet == "DataLoader(..., num_workers=2)"
    assert env.shell == "kubectl set env deployment/TRAIN OMP_NUM_THREADS=2"
    assert limits.shell == (
        "kubectl patch deployment TRAIN --patch '"
        '{"spec":{"template":{"spec":{"containers":[{"name":"train",'
        '"resources":{"limits":{"cpu":"8"}}}]}}}}'
        "'"
    )


def test_one_cpu_in_words(snapshot: SnapshotAssertion) -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(1), None, BARE)

    assert finding.summary == snapshot


def test_quota_without_statistics() -> None:
    plain = Quota(cpus=4, source="/sys/fs/cgroup/cpu.max")

    (finding,) = cgroup_cpu_quota_ignored(
        Cpu(logical=8, quota=plain), None, BARE, throttled=0.0, periods=1
    )

    assert finding.severity is Severity.NOTE


def test_share_in_the_evidence_has_three_digits() -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(throttled=1, periods=3), None, BARE)

    assert finding.evidence["cpu.quota.throttled_share"] == 0.333


@pytest.mark.parametrize(
    ("throttled", "periods"),
    [
        pytest.param(25, 100, id="exactly the share and the periods"),
        pytest.param(900, 1000, id="nearly always"),
    ],
)
def test_a_group_that_is_stopped_slows(
    throttled: int, periods: int, snapshot: SnapshotAssertion
) -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(throttled=throttled, periods=periods), None, BARE)

    assert finding.severity is Severity.SLOWS
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot


def test_both_reasons_are_certain() -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(throttled=50), EIGHT, BARE)

    assert finding.confidence is Confidence.CERTAIN


def test_settings_move_the_thresholds() -> None:
    (finding,) = cgroup_cpu_quota_ignored(
        box(throttled=1, periods=10), None, BARE, throttled=0.1, periods=10
    )

    assert finding.severity is Severity.SLOWS


def test_docker_gets_more_cpus() -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(), EIGHT, DOCKER)

    assert finding.remedies[-1].shell == "docker run --cpus=8"


def test_slurm_gets_more_cpus_and_no_more_than_there_are() -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(), Loader(num_workers=99), SLURM)

    assert finding.remedies[-1].shell == "sbatch --cpus-per-task=64"


def test_unit_of_systemd_is_advice() -> None:
    (finding,) = cgroup_cpu_quota_ignored(box(), EIGHT, BARE)

    unit = finding.remedies[-1]
    assert unit.shell == "sudo systemctl set-property user.slice CPUQuota=800%"
    assert not unit.automatic


def test_no_unit_no_command() -> None:
    plain = Quota(cpus=4, source="/sys/fs/cgroup/cpu.max")
    machine = Cpu(logical=64, affinity=64, quota=plain)

    (finding,) = cgroup_cpu_quota_ignored(machine, EIGHT, BARE)

    assert all("systemctl" not in remedy.shell for remedy in finding.remedies)


def test_unknown_groups_are_not_health(snapshot: SnapshotAssertion) -> None:
    hidden = Cpu(logical=4, quota_unknown="no control group can be seen")

    verdict = cgroup_cpu_quota_ignored.run(Facts(hidden))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    record: dict[str, Any] = json.loads(json.dumps(Facts(box(), EIGHT).to_record()))

    verdict = cgroup_cpu_quota_ignored.run(Facts.from_record(record))

    assert verdict.findings == tuple(cgroup_cpu_quota_ignored(box(), EIGHT, None))


@pytest.mark.root
@pytest.mark.slow
def test_the_illness_is_real_and_a_larger_quota_cures_it(
    control_group: Callable[[str], Path],
) -> None:
    group = control_group("cpu")
    spin = "import os; print(os.getpid(), flush=True)\nwhile True: pass"
    join = f"echo $$ > {group}/cgroup.procs && exec {sys.executable} -c '{spin}'"
    job = subprocess.Popen(["sh", "-c", join], stdout=subprocess.PIPE)
    try:
        assert job.stdout is not None
        job.stdout.readline()
        machine = Machine(pid=job.pid)
        assert examine(machine) == []
        allow(group, 0.05)
        until = time.monotonic() + 30
        while throttled(machine) < 5 and time.monotonic() < until:
            time.sleep(0.1)

        (finding,) = examine(machine)
        assert finding.severity is Severity.SLOWS
        allow(group, 64)
        assert examine(machine) == []
        allow(group, 0.05)
        assert examine(machine)
    finally:
        job.kill()
        job.communicate()


def allow(group: Path, cpus: float) -> None:
    period = 100_000
    if (group / "cpu.max").exists():
        (group / "cpu.max").write_text(f"{int(cpus * period)} {period}")
    else:
        (group / "cpu.cfs_quota_us").write_text(str(int(cpus * period)))


def examine(machine: Machine) -> list[Finding]:
    seen = look(machine)
    return cgroup_cpu_quota_ignored(seen, None, None, throttled=0.01, periods=5)


def look(machine: Machine) -> Cpu:
    return cpu(machine, lambda _: None)


def throttled(machine: Machine) -> int:
    seen = look(machine).quota
    return (seen.throttled_periods or 0) if seen else 0
