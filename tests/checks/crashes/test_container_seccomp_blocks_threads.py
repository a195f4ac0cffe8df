"""PDR930, from a log: the container's seccomp filter forbids new threads."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.container_seccomp_blocks_threads import (
    container_seccomp_blocks_threads,
)
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    '  File "/usr/lib/python3.12/threading.py", line 992, in start\n'
    "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 64: Operation "
    "not permitted"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 64: Resource "
                "temporarily unavailable"
            ),
            id="a limit on processes",
        ),
        pytest.param(
            "PermissionError: [Errno 1] Operation not permitted: '/data/train'",
            id="a file that may not be read",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert container_seccomp_blocks_threads(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = container_seccomp_blocks_threads(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == (
        "An old Docker or libseccomp blocks the system call that newer images use to start threads"
    )
    assert finding.evidence == {"log.line": 2}


@pytest.mark.parametrize(
    ("place", "commands"),
    [
        ("bare", ["docker run --security-opt seccomp=unconfined"]),
        ("docker", ["docker run --security-opt seccomp=unconfined"]),
        ("kubernetes", [("securityContext:\n  seccompProfile:\n    type: Unconfined")]),
        ("slurm", [""]),
    ],
)
def test_remedies(place: str, commands: list[str]) -> None:
    (finding,) = container_seccomp_blocks_threads(LOG, PLACES[place])

    assert list_commands(finding) == commands


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = container_seccomp_blocks_threads(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = container_seccomp_blocks_threads.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"
