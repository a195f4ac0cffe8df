"""What PDR704 advises for a user, a control group and the whole system."""

import pytest

from pipedoctor.check import Finding
from pipedoctor.facts import Limits, Loader, Rlimit, Site, Slurm
from tests.checks.limits.process_limits import BARE, FILES, group, only, system, user

DOCKER = Site(system="linux", container="docker")
POD = Site(system="linux", container="kubernetes")
SLURM = Site(system="linux", slurm=Slurm(job_id="7"))


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
    ],
)
def test_for_the_group(site: Site, line: str, *, advice: bool) -> None:
    finding = only(group(90, 100), site=site)

    assert lines(finding)[0] == line
    assert finding.remedies[0].advice is advice
    assert not any(remedy.automatic for remedy in finding.remedies)


@pytest.mark.parametrize(
    ("site", "line"),
    [
        (POD, "podPidsLimit: 4096  # the kubelet's configuration"),
        (SLURM, "TasksMax=4096  # slurmd.service"),
    ],
)
def test_what_only_administrators_can_do_comes_last(site: Site, line: str) -> None:
    finding = only(group(90, 100), site=site)

    assert "OMP_NUM_THREADS=1" in lines(finding)[0]
    assert lines(finding)[-1] == line
    assert finding.remedies[-1].advice


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
