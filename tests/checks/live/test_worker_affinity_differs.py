"""PDR926: which jobs it is silent about, and what it says of others."""

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, LiveJob
from pipedoctor_checks.live.worker_affinity_differs import worker_affinity_differs
from tests.checks.live.jobs import job, main, process

ALL = (0, 1, 2, 3)
SILENT = {
    "nothing is known": job(main(), process()),
    "the same": job(main(affinity=ALL), process(affinity=ALL)),
    "the main process could not be asked": job(main(), process(affinity=(0,))),
    "another job's worker": job(main(affinity=ALL), process(affinity=(0,), main_pid=9)),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert worker_affinity_differs(found) == []


def test_unknown_is_not_health() -> None:
    verdict = worker_affinity_differs.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_narrower_than_its_main_process() -> None:
    workers = (process(affinity=(0,)), process(12, affinity=ALL))
    (finding,) = worker_affinity_differs(job(main(affinity=ALL), *workers))

    assert finding.severity is Severity.SLOWS
    assert finding.summary == (
        "worker 11 may use 1 CPUs, its main process 4: 1 of 2 workers differ"
    )
    assert "os.sched_setaffinity(0, CPUS)" in finding.remedies[0].snippet


def test_as_many_but_others_is_a_note() -> None:
    (finding,) = worker_affinity_differs(job(main(affinity=(0,)), process(affinity=(1,))))

    assert finding.severity is Severity.NOTE
