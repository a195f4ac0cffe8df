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


@pytest.mark.parametrize(
    ("status", "words", "remedy"),
    [
        (-9, "was killed by SIGKILL while it produced a batch", "dmesg --ctime"),
        (-11, "was ended by SIGSEGV while it produced a batch", ""),
        (-64, "was ended by SIGRTMAX while it produced a batch", ""),
        (-65, "was ended by signal 65 while it produced a batch", ""),
    ],
)
def test_one_that_a_signal_ended(status: int, words: str, remedy: str) -> None:
    (finding,) = worker_dead(
        job(
            main(),
            process(pid=12, ended=True),
            process(ended=True, working=True, exit_status=status),
        )
    )

    assert finding.severity is Severity.BREAKS
    assert finding.summary == f"worker 11 {words} and 1 more"
    assert finding.evidence["pids"] == [12, 11]
    shell = finding.remedies[0].shell
    assert shell.endswith(remedy)
    assert bool(shell) is bool(remedy)


def test_a_zombie() -> None:
    (finding,) = worker_dead(job(main(), process(state="Z")))

    assert "worker 11 is a zombie: it has exited; the job" in finding.summary
    assert finding.evidence["pids"] == [11]


def test_of_several_the_one_that_worked_is_named(snapshot: SnapshotAssertion) -> None:
    ended = process(pid=12, ended=True, working=True)

    (finding,) = worker_dead(job(main(), process(state="Z"), ended))

    assert finding.summary == snapshot
    assert finding.evidence["pids"] == [11, 12]
