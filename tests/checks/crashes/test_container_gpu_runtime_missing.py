"""PDR945, from a log: the container engine knows no NVIDIA runtime."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.container_gpu_runtime_missing import container_gpu_runtime_missing
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "$ docker run --gpus all trainer\n"
    'docker: Error response from daemon: could not select device driver "" with '
    "capabilities: [[gpu]]."
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "$ docker run --gpus all trainer\n"
                "docker: Error response from daemon: pull access denied for trainer, repository "
                "does not exist."
            ),
            id="an image that is not there",
        ),
        pytest.param(
            (
                "docker: Error response from daemon: nvidia-container-cli: requirement error: "
                "unsatisfied condition: cuda>=12.4, please update your driver to a newer version"
            ),
            id="a driver that is too old",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert container_gpu_runtime_missing(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = container_gpu_runtime_missing(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "Docker has no NVIDIA runtime, or the cluster has no GPUs to allocate"
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = container_gpu_runtime_missing(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = container_gpu_runtime_missing(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = container_gpu_runtime_missing.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
