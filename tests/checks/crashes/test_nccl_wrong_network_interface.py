"""PDR960, from a log: NCCL or Gloo uses a network interface that others cannot reach."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.nccl_wrong_network_interface import nccl_wrong_network_interface
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "node2:912:912 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface "
    "found\n"
    "node2:912:912 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ib7"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "NCCL WARN Error: failed to extend /dev/shm/nccl-Xb2Fq1 to 9637892 bytes",
            id="room for segments",
        ),
        pytest.param(
            (
                "RuntimeError: The server socket has failed to listen on any local network "
                "address. The server socket has failed to bind to [::]:29500 (errno: 98 - "
                "Address already in use)."
            ),
            id="a port that is taken",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert nccl_wrong_network_interface(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = nccl_wrong_network_interface(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "NCCL or Gloo uses a network interface that is missing or that the other ranks cannot reach"
    )
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = nccl_wrong_network_interface(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = nccl_wrong_network_interface(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = nccl_wrong_network_interface.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
