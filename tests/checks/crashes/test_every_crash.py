"""What holds for every check of an error log alone: silent without it, a remedy in each place."""

from typing import Any

import pytest

from pipedoctor.check import Check, Finding, Severity
from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts, Ports
from pipedoctor.facts.log import Log, Seen
from tests.checks.remedies_by_place import PLACES

CHECKS = [
    check
    for check in get_catalogue().checks.values()
    if check.needs.get(Log, False) and Ports not in check.needs
]
every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.name)


def judge(check: Check[Any], *facts: Any, causes: tuple[str, ...] = ()) -> list[Finding]:
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
def test_no_remedy_is_for_another_place(check: Check[Any]) -> None:
    for site in PLACES.values():
        (finding,) = judge(check, site)

        for remedy in finding.remedies:
            assert not remedy.fits or site.launcher in remedy.fits, site


@every_check
def test_somewhere_there_is_a_remedy_for_humans(check: Check[Any]) -> None:
    found = [
        remedy
        for site in PLACES.values()
        for finding in judge(check, site)
        for remedy in finding.remedies
    ]

    assert found
    if check.name != "nccl-shm-too-small":
        assert all(remedy.advice for remedy in found)


@every_check
def test_without_a_log_nobody_knows(check: Check[Any]) -> None:
    assert check.run(Facts()).skipped.startswith("log: ")
