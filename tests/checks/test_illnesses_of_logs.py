"""Checks that judge an error log alone: silent without it, a remedy in each place."""

from typing import Any

import pytest

from pipedoctor.catalogue import installed
from pipedoctor.check import Check, Finding, Severity
from pipedoctor.facts import Facts, Ports, Shm, Site, Slurm
from pipedoctor.facts.log import Log, Seen
from pipedoctor.units import GiB

CHECKS = [
    check
    for check in installed().checks.values()
    if Log in check.needs and Ports not in check.needs
]
SITES = [
    Site(system="linux"),
    Site(system="linux", container="docker"),
    Site(system="linux", container="kubernetes"),
    Site(system="linux", slurm=Slurm(job_id="1")),
]

every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.name)


def judge(
    check: Check[Any], *facts: Any, causes: tuple[str, ...] = ()
) -> list[Finding]:
    cause = check.name.replace("-", "_")
    seen = Seen(signature=f"{cause}/x", line=7, text="...", values={"limit": "64"})
    log = Log(lines=9, seen=(seen,), causes=causes or (cause,))
    return list(check.run(Facts(log, *facts)).findings)


@every_check
def test_silent_where_the_log_speaks_of_something_else(check: Check[Any]) -> None:
    assert judge(check, causes=("something_else",)) == []


@every_check
def test_speaks_where_the_log_does(check: Check[Any]) -> None:
    (finding,) = judge(check)

    assert finding.severity >= Severity.RISKS
    assert finding.summary[0].isupper() or finding.summary[0] == "/"
    assert not finding.summary.endswith(".")
    assert finding.evidence == {"log.line": 7, "log.limit": "64"}


@every_check
@pytest.mark.parametrize("site", SITES, ids=lambda s: s.habitat.name)
def test_no_remedy_is_for_another_place(check: Check[Any], site: Site) -> None:
    (finding,) = judge(check, site)

    for remedy in finding.remedies:
        assert not remedy.fits or site.habitat in remedy.fits


@every_check
def test_somewhere_there_is_a_remedy_for_humans(check: Check[Any]) -> None:
    found = [
        remedy
        for site in SITES
        for finding in judge(check, site)
        for remedy in finding.remedies
    ]

    assert found
    if check.name != "nccl-shm-too-small":
        assert all(remedy.advice for remedy in found)


@pytest.mark.parametrize(
    ("shm", "line"),
    [
        pytest.param(
            Shm(size=GiB, remountable=True),
            "sudo mount -o remount,size=8589934592 /dev/shm",
            id="small here",
        ),
        pytest.param(
            Shm(size=64 * GiB),
            "sudo mount -o remount,size=8589934592 /dev/shm",
            id="large here, small there",
        ),
    ],
)
def test_room_for_nccl(shm: Shm, line: str) -> None:
    (check,) = (check for check in CHECKS if check.name == "nccl-shm-too-small")
    (finding,) = judge(check, shm, SITES[0])

    assert finding.remedies[0].shell == line
