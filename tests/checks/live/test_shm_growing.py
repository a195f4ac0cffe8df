"""PDR922: which jobs it is silent about, and what it says of others."""

import pytest

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, LiveJob
from pipedoctor_checks.live.shm_growing import shm_growing
from tests.checks.live.jobs import MIB, job, trend

SILENT = {
    "nothing is known": job(),
    "one byte less than worth a word": job(shm=trend(0, 16 * MIB - 1)),
    "up and down": job(shm=trend(0, 900 * MIB, steadiness=0.4)),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert shm_growing(found) == []


def test_unknown_is_not_health() -> None:
    verdict = shm_growing.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_says_what_is_left() -> None:
    shm = trend(0, 60 * MIB, limit=120.0 * MIB)
    (finding,) = shm_growing(job(shm=shm, shm_own=trend(0, 60 * MIB)))

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "60.0 MiB of 120.0 MiB of /dev/shm are in use, growing by 60.0 MiB per minute through"
        " this job; the limit is reached in 60 s"
    )


def test_another_job_may_be_the_one() -> None:
    (finding,) = shm_growing(job(shm=trend(0, 16 * MIB)))

    assert finding.confidence is Confidence.POSSIBLE
    assert "this job or another" in finding.summary
