"""PDR923: which jobs it is silent about, and what it says of others."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, LiveJob
from pipedoctor_checks.live.threads_growing import threads_growing
from tests.checks.live.jobs import job, main, process, trend

SILENT = {
    "nothing is known": job(),
    "a pool that was started once": job(main(threads=trend(4, 9))),
    "up and down": job(main(threads=trend(4, 60, steadiness=0.5))),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert threads_growing(found) == []


def test_unknown_is_not_health() -> None:
    verdict = threads_growing.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_counts_them() -> None:
    (finding,) = threads_growing(job(main(), process(threads=trend(4, 64))))

    assert finding.severity is Severity.RISKS
    assert finding.summary == "worker 11 has 64 threads, growing by 60 per minute"
    assert finding.evidence["pid"] == 11


def test_at_the_threshold_it_speaks() -> None:
    assert threads_growing(job(main(threads=trend(4, 10))))
