"""PDR921: which jobs it is silent about, and what it says of others."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, LiveJob
from pipedoctor_checks.live.worker_memory_growing import worker_memory_growing
from tests.checks.live.jobs import MIB, job, main, process, trend

SILENT = {
    "nothing is known": job(main(), process()),
    "one byte less than worth a word": job(main(), process(anonymous=trend(0, 24 * MIB - 1))),
    "the main process keeps results": job(main(anonymous=trend(0, 900 * MIB))),
    "one walk through its pages": job(main(), process(private=trend(0, 90 * MIB, readings=1))),
    "warms up": job(main(), process(anonymous=trend(0, 90 * MIB, steadiness=0.6))),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert worker_memory_growing(found) == []


def test_unknown_is_not_health() -> None:
    verdict = worker_memory_growing.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_a_leak() -> None:
    two = [process(p, anonymous=trend(0, 60 * MIB)) for p in (11, 12)]
    (finding,) = worker_memory_growing(job(main(), *two, memory_left=240.0 * MIB))

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "worker 11 allocates new memory: 60.0 MiB, growing by 60.0 MiB per minute; the"
        " limit is reached in 2 minutes"
    )
    assert finding.evidence["copied"] is False


def test_pages_of_the_parent_are_copied() -> None:
    flat, grown = trend(90 * MIB, 90 * MIB, steadiness=0.0), trend(0, 24 * MIB)
    (finding,) = worker_memory_growing(job(main(), process(anonymous=flat, private=grown)))

    assert "copies its parent's pages: 24.0 MiB" in finding.summary
    assert finding.evidence["copied"] is True
    assert "lists of Python objects" in finding.remedies[0].title
