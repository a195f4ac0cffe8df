"""PDR948, from a log: the fabric manager does not run."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.fabric_manager_not_running import fabric_manager_not_running
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "torch.cuda.is_available() -> False\n"
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not "
    "yet initialized"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward "
                "compatibility was attempted on non supported HW"
            ),
            id="forward compatibility",
        ),
        pytest.param(
            "systemd[1]: nvidia-persistenced.service: Failed with result 'exit-code'.",
            id="another service",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert fabric_manager_not_running(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = fabric_manager_not_running(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "This machine has NVSwitches, and nvidia-fabricmanager is not running, "
        "or its version differs from the driver's"
    )
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        ("bare", ["sudo systemctl enable --now nvidia-fabricmanager"]),
        ("docker", ["sudo systemctl enable --now nvidia-fabricmanager"]),
        ("kubernetes", ["ssh NODE sudo systemctl enable --now nvidia-fabricmanager"]),
        ("slurm", ["sbatch --exclude=NODE"]),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = fabric_manager_not_running(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = fabric_manager_not_running(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = fabric_manager_not_running.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
