"""PDR959, from a log: NCCL finds no room in /dev/shm."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts, Shm
from pipedoctor.units import GiB
from pipedoctor_checks.crashes.nccl_shm_too_small import nccl_shm_too_small
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "node1:71:93 [2] misc/shmutils.cc:72 NCCL WARN Error: failed to extend "
    "/dev/shm/nccl-Xb2Fq1 to 9637892 bytes\n"
    "node1:71:93 [2] NCCL INFO Error while creating shared memory segment "
    "/dev/shm/nccl-Xb2Fq1 (size 9637888)"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "RuntimeError: unable to write to file </torch_77_12345_0>: No space left on "
                "device (28)"
            ),
            id="batches that find no room",
        ),
        pytest.param(
            "NCCL WARN Bootstrap : no socket interface found",
            id="an interface that is missing",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert nccl_shm_too_small(diagnose_text(text), None, None) == []


def test_speaks() -> None:
    (finding,) = nccl_shm_too_small(LOG, None, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "NCCL could not create its segments in /dev/shm"
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        (
            "bare",
            [
                "sudo mount -o remount,size=8g /dev/shm",
                "tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=8g 0 0",
            ],
        ),
        (
            "docker",
            [
                "docker run --shm-size=8g",
                ("services:\n  train:\n    shm_size: 8gb"),
                "docker run --ipc=host",
            ],
        ),
        (
            "kubernetes",
            [
                (
                    "kubectl patch deployment TRAIN --patch "
                    '\'{"spec":{"template":{"spec":{"containers":[{"name":"train","volumeMounts":[{"na'
                    'me":"shm","mountPath":"/dev/shm"}]}],"volumes":[{"name":"shm","emptyDir":{"mediu'
                    'm":"Memory","sizeLimit":"8Gi"}}]}}}}\''
                )
            ],
        ),
        ("slurm", [""]),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = nccl_shm_too_small(LOG, None, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = nccl_shm_too_small(LOG, None, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = nccl_shm_too_small.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"


@pytest.mark.parametrize(
    "shm",
    [
        pytest.param(Shm(size=GiB, remountable=True), id="small here"),
        pytest.param(Shm(size=64 * GiB), id="large here, small there"),
    ],
)
def test_room_that_is_enough(shm: Shm) -> None:
    (finding,) = nccl_shm_too_small(LOG, shm, PLACES["bare"])

    assert finding.remedies[0].shell == "sudo mount -o remount,size=8g /dev/shm"


def test_the_user_decides() -> None:
    (finding,) = nccl_shm_too_small(LOG, None, PLACES["bare"], size=16 * GiB)

    assert finding.remedies[0].shell == "sudo mount -o remount,size=16g /dev/shm"
