"""PDR961, from a log: a rank waited in vain for the others."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.nccl_timeout_rank_desync import nccl_timeout_rank_desync
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "[rank1]:[E ProcessGroupNCCL.cpp:607] [Rank 1] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=1512, OpType=ALLREDUCE, NumelIn=1, "
    "Timeout(ms)=600000) ran for 600029 milliseconds before timing out."
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "RuntimeError: DataLoader timed out after 600 seconds",
            id="a loader that is too slow",
        ),
        pytest.param(
            (
                "torch.distributed.DistNetworkError: The server socket has failed to listen on "
                "any local network address. port: 29500, useIpv6: false, code: -98, name: "
                "EADDRINUSE, message: address already in use"
            ),
            id="a port that is taken",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert nccl_timeout_rank_desync(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = nccl_timeout_rank_desync(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary
        == "The ranks ran different numbers of collectives, or one of them was slow or dead"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = nccl_timeout_rank_desync(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = nccl_timeout_rank_desync(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = nccl_timeout_rank_desync.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
