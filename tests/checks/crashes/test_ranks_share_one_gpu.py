"""PDR963, from a log: two ranks use one GPU."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.ranks_share_one_gpu import ranks_share_one_gpu
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "[rank1]: torch.distributed.DistBackendError: NCCL error in: "
    "ProcessGroupNCCL.cpp:1691\n"
    "[rank1]: Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "RuntimeError: CUDA error: invalid device ordinal",
            id="a GPU that is not there",
        ),
        pytest.param(
            (
                "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1512, "
                "OpType=ALLREDUCE) ran for 600029 milliseconds before timing out."
            ),
            id="a rank that waits",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert ranks_share_one_gpu(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = ranks_share_one_gpu(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "Two ranks use the same GPU"
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = ranks_share_one_gpu(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = ranks_share_one_gpu(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = ranks_share_one_gpu.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
