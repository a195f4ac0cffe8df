"""PDR707 notes a bounded RLIMIT_MEMLOCK where an RDMA adapter is, and only there."""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, Limits, Rlimit, Site, Slurm
from pipedoctor.units import MiB
from pipedoctor_checks.limits.memlock_limit_low import memlock_limit_low

FILES = Rlimit(soft=1024, hard=1024)
EIGHT = Rlimit(soft=8 * MiB, hard=8 * MiB)
LOW = Limits(nofile=FILES, memlock=EIGHT, rdma_devices=("mlx5_0",))
BARE = Site(system="linux")


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(Limits(nofile=FILES, memlock=EIGHT), id="no adapter"),
        pytest.param(
            Limits(
                nofile=FILES,
                memlock=Rlimit(soft=None, hard=None),
                rdma_devices=("mlx5_0",),
            ),
            id="no limit",
        ),
        pytest.param(
            Limits(
                nofile=FILES,
                memlock=EIGHT,
                rdma_devices=("mlx5_0",),
                exempt_from_memlock=True,
            ),
            id="CAP_IPC_LOCK",
        ),
    ],
)
def test_silent(limits: Limits) -> None:
    assert memlock_limit_low(limits, BARE) == []


def test_speaks() -> None:
    (finding,) = memlock_limit_low(LOW, BARE)

    assert finding.severity is Severity.NOTE
    assert finding.summary == (
        "the limit on locked memory is 8.0 MiB, and there is an RDMA adapter"
    )
    assert finding.evidence == {
        "limits.memlock.soft": 8 * MiB,
        "limits.rdma_devices": ["mlx5_0"],
    }


@pytest.mark.parametrize(
    ("site", "lines"),
    [
        (
            BARE,
            [
                "sudo prlimit --pid $$ --memlock=unlimited:unlimited",
                (
                    "# /etc/security/limits.d/90-memlock.conf\n"
                    "* soft memlock unlimited\n* hard memlock unlimited"
                ),
            ],
        ),
        (
            Site(system="linux", container="kubernetes"),
            ["# containerd.service.d/memlock.conf\n[Service]\nLimitMEMLOCK=infinity"],
        ),
        (
            Site(system="linux", slurm=Slurm(job_id="7")),
            ["sbatch --propagate=MEMLOCK"],
        ),
    ],
)
def test_remedies(site: Site, lines: list[str]) -> None:
    (finding,) = memlock_limit_low(LOW, site)

    assert [r.shell or r.snippet for r in finding.remedies] == lines
    assert finding.remedies[-1].advice is (site.slurm is None)
    assert finding.remedies[-1].root is (site is BARE)


def test_docker() -> None:
    (finding,) = memlock_limit_low(LOW, Site(system="linux", container="docker"))

    assert finding.remedies[0].shell == "docker run --ulimit=memlock=-1:-1"
    assert finding.remedies[1].snippet.split()[-4:] == ["soft:", "-1", "hard:", "-1"]


def test_unknown_is_not_health(snapshot: SnapshotAssertion) -> None:
    verdict = memlock_limit_low.run(Facts(Limits(nofile=FILES)))

    assert verdict.skipped == snapshot


def test_judges_another_machine_from_its_record() -> None:
    record: dict[str, Any] = json.loads(json.dumps(Facts(LOW, BARE).to_record()))

    verdict = memlock_limit_low.run(Facts.from_record(record))

    assert list(verdict.findings) == memlock_limit_low(LOW, BARE)
