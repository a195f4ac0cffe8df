"""PDR931, from a log: the kernel killed a process for memory."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Severity
from pipedoctor.facts import Facts
from pipedoctor_checks.crashes.worker_oom_killed import worker_oom_killed
from tests.checks.crashes.diagnosed_log import diagnose_text
from tests.checks.remedies_by_place import PLACES, describe_remedies, list_commands

LOG = diagnose_text(
    "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Killed.\n"
    "kernel: Out of memory: Killed process 4242 (python) total-vm:61440000kB, "
    "anon-rss:31457280kB"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            (
                "RuntimeError: DataLoader worker (pid 9021) is killed by signal: Bus error. It "
                "is possible that dataloader's workers are out of shared memory."
            ),
            id="a bus error",
        ),
        pytest.param(
            "RuntimeError: DataLoader worker (pid 4242) is killed by signal: Terminated.",
            id="a worker that the user ended",
        ),
    ],
)
def test_silent(text: str) -> None:
    assert worker_oom_killed(diagnose_text(text), None) == []


def test_speaks() -> None:
    (finding,) = worker_oom_killed(LOG, None)

    assert finding.severity is Severity.BREAKS
    assert finding.summary == "Memory ran out, and the kernel or the control group killed a process"
    assert finding.evidence == {"log.line": 1}


@pytest.mark.parametrize("place", PLACES)
def test_remedies(place: str, snapshot: SnapshotAssertion) -> None:
    (finding,) = worker_oom_killed(LOG, PLACES[place])

    assert list_commands(finding) == snapshot


def test_wording_of_remedies(snapshot: SnapshotAssertion) -> None:
    (finding,) = worker_oom_killed(LOG, None)

    assert describe_remedies(finding) == snapshot


def test_unknown_is_not_healthy() -> None:
    verdict = worker_oom_killed.run(Facts(unknown={"log": "no log was given"}))

    assert verdict.skipped == "log: no log was given"


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("#SBATCH --mem=128G", "256G"),
        ("      memory:  96Gi", "192G"),
        ("memory: usage 8388608kB, limit 8388608kB, failcnt 7", "16G"),
        ("nothing of a limit", "64G"),
    ],
)
def test_twice_what_the_log_says(line: str, size: str) -> None:
    text = f"{line}\nRuntimeError: DataLoader worker (pid 12) is killed by signal: Killed."

    (finding,) = worker_oom_killed(diagnose_text(text), PLACES["slurm"])

    assert list_commands(finding)[-1] == f"sbatch --mem={size}"
