"""PDR946, from a log: a running container lost its GPUs."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.container_lost_gpu_cgroup import container_lost_gpu_cgroup
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "step 41200 loss 0.31\n"
    "$ docker exec trainer nvidia-smi\n"
    "Failed to initialize NVML: Unknown Error"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "Failed to initialize NVML: Driver/library version mismatch",
            id="a driver that was updated",
        ),
        pytest.param(
            (
                "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
                "Make sure that the latest NVIDIA driver is installed and running."
            ),
            id="no driver at all",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert container_lost_gpu_cgroup(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = container_lost_gpu_cgroup(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert (
        finding.summary == "A reload of systemd removed the GPU devices from the running container"
    )
    assert finding.evidence == {"log.line": 3}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        (
            "bare",
            [
                "docker restart trainer",
                (
                    "docker run --gpus=all --device=/dev/nvidia0 --device=/dev/nvidiactl "
                    "--device=/dev/nvidia-uvm"
                ),
            ],
        ),
        (
            "docker",
            [
                "docker restart trainer",
                (
                    "docker run --gpus=all --device=/dev/nvidia0 --device=/dev/nvidiactl "
                    "--device=/dev/nvidia-uvm"
                ),
            ],
        ),
        ("kubernetes", ["kubectl rollout restart deployment/TRAIN"]),
        ("slurm", [""]),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = container_lost_gpu_cgroup(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = container_lost_gpu_cgroup(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = container_lost_gpu_cgroup.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
