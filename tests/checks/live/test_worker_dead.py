"""PDR925: which jobs it is silent about, and what it says of others."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, LiveJob
from pipedoctor_checks.live.worker_dead import worker_dead
from tests.checks.live.jobs import job, main, process

SILENT = {
    "nothing is known": job(),
    "all live": job(main(), process()),
    "the main process has ended": job(main(ended=True)),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert worker_dead(found) == []


def test_unknown_is_not_health() -> None:
    verdict = worker_dead.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_one_that_ended_while_it_worked() -> None:
    (finding,) = worker_dead(job(main(), process(ended=True, working=True)))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "worker 11 has exited while it produced a batch; the job continues without it"
    )


def test_a_zombie() -> None:
    (finding,) = worker_dead(job(main(), process(state="Z")))

    assert "worker 11 is a zombie: it has exited; the job" in finding.summary
    assert finding.evidence["pids"] == [11]


def test_of_several_the_one_that_worked_is_named(snapshot: SnapshotAssertion) -> None:
    ended = process(pid=12, ended=True, working=True)

    (finding,) = worker_dead(job(main(), process(state="Z"), ended))

    assert finding.summary == snapshot
    assert finding.evidence["pids"] == [11, 12]
