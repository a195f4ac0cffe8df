"""PDR924: which jobs it is silent about, and what it says of others."""

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, HotLine, KernelWait, LiveJob
from pipedoctor_checks.live.worker_stuck import worker_stuck
from tests.checks.live.jobs import job, main, process

HANGS: dict[str, Any] = {"working": True, "unchanged_seconds": 20.0}
READS = KernelWait(
    call="pread64", path="/data/x", mount="/data", fstype="nfs4", device="s:/e", share=1
)
HOT = HotLine(path="train.py", line=9, function="get", share=1.0)
SILENT = {
    "nothing is known": job(),
    "a moment ago": job(main(), process(working=True, unchanged_seconds=19.9)),
    "has nothing to do": job(main(), process(unchanged_seconds=900.0)),
    "the main process is no worker": job(main(**HANGS)),
}


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    found: LiveJob = SILENT[name]

    assert worker_stuck(found) == []


def test_unknown_is_not_health() -> None:
    verdict = worker_stuck.run(Facts(unknown={"live": "nobody watched"}))

    assert verdict.skipped == "live: nobody watched"


def test_names_the_line_and_the_file() -> None:
    (finding,) = worker_stuck(job(main(), process(**HANGS, hot=HOT, kernel=READS)))

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "worker 11 is stuck in pread64 of /data/x (nfs4 on s:/e) at train.py:9, for 20 s"
    )
    assert finding.location is not None
    assert (finding.location.path, finding.location.line) == ("train.py", 9)


def test_one_that_computes_spins(snapshot: SnapshotAssertion) -> None:
    (finding,) = worker_stuck(job(main(), process(**HANGS, runs=True)))

    assert finding.summary == snapshot
    assert finding.evidence["spinning"] is True


def test_counts_the_others() -> None:
    three = [process(p, **HANGS) for p in (11, 12, 13)]
    (finding,) = worker_stuck(job(main(), *three))

    assert finding.summary.endswith(", as 2 others are")
    assert finding.evidence["pids"] == [11, 12, 13]
