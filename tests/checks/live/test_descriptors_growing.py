"""PDR920: which jobs it is silent about, and what it says of others."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, LiveJob
from pipedoctor_checks.live.descriptors_growing import descriptors_growing
from tests.checks.live.jobs import job, main, process, trend

SILENT = {
    "nothing is known": job(),
    "as many as before": job(main(descriptors=trend(40, 40))),
    "one less than worth a word": job(main(descriptors=trend(40, 55))),
    "up and down": job(main(descriptors=trend(40, 90, steadiness=0.79))),
    "three readings": job(main(descriptors=trend(40, 90, readings=3))),
    "fewer and fewer": job(main(descriptors=trend(90, 40))),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert descriptors_growing(found) == []


def test_unknown_is_not_health() -> None:
    verdict = descriptors_growing.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_says_how_long_it_lasts() -> None:
    (finding,) = descriptors_growing(job(main(descriptors=trend(40, 640, limit=1024))))

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        "the main process 10 has 640 descriptors open of 1024, growing by 600 per minute;"
        " the limit is reached in 38 s"
    )
    assert finding.evidence["seconds_left"] == pytest.approx(38.4)
    assert len(finding.remedies) == 2


def test_at_the_threshold_it_speaks() -> None:
    (finding,) = descriptors_growing(
        job(main(descriptors=trend(40, 56, steadiness=0.8, readings=4)))
    )

    assert finding.summary.endswith("56 descriptors open, growing by 16 per minute")


def test_names_the_process_that_grows_fastest() -> None:
    slow, fast = trend(10, 40), trend(10, 400)
    found = job(main(descriptors=slow), process(12, descriptors=fast))

    (finding,) = descriptors_growing(found)

    assert finding.summary.startswith("worker 12 has 400")
