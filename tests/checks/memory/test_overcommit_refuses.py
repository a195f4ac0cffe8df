"""
PDR728 speaks of a kernel that promises no more memory than it has.

The illness is not provoked: the setting is one for the whole machine, and would
make other programs fail.
"""

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.check import Confidence, Severity
from pipedoctor.facts import Facts, Loader, Memory
from pipedoctor.units import GiB, MiB
from pipedoctor_checks.memory.overcommit_refuses import overcommit_refuses


def strict(left: int) -> Memory:
    """A kernel with strict accounting that may still promise so much."""
    return Memory(
        total=16 * GiB,
        available=12 * GiB,
        overcommit=2,
        commit_limit=8 * GiB,
        committed=8 * GiB - left,
    )


FOUR = Loader(num_workers=4)


@pytest.mark.parametrize("setting", [0, 1])
def test_silent(setting: int) -> None:
    machine = Memory(total=GiB, available=GiB, overcommit=setting)

    assert overcommit_refuses(machine, Loader(num_workers=99)) == []


@pytest.mark.parametrize(
    ("machine", "loader"),
    [
        pytest.param(strict(0), None, id="no job known"),
        pytest.param(strict(0), Loader(ranks=8), id="workers not known"),
        pytest.param(strict(660 * MiB), FOUR, id="exactly enough"),
    ],
)
def test_strict_accounting_is_a_note(
    machine: Memory, loader: Loader | None, snapshot: SnapshotAssertion
) -> None:
    (finding,) = overcommit_refuses(machine, loader)

    assert finding.severity is Severity.NOTE
    assert finding.confidence is Confidence.CERTAIN
    assert finding.summary == snapshot


def test_too_little_for_the_workers_is_a_risk() -> None:
    (finding,) = overcommit_refuses(strict(659 * MiB), FOUR)

    assert finding.severity is Severity.RISKS
    assert finding.confidence is Confidence.LIKELY
    assert finding.summary == (
        "vm.overcommit_memory is 2: 659.0 MiB of 8.0 GiB may still be "
        "committed; 4 workers are to be forked"
    )
    assert finding.evidence == {
        "memory.overcommit": 2,
        "memory.commit_limit": 8 * GiB,
        "memory.committed": 8 * GiB - 659 * MiB,
        "loader.workers_on_node": 4,
    }
    (remedy,) = finding.remedies
    assert remedy.shell == "sudo sysctl vm.overcommit_memory=0"
    assert remedy.undo == ("sysctl", "vm.overcommit_memory=2")
    assert not remedy.automatic


def test_more_promised_than_the_limit_leaves_nothing(snapshot: SnapshotAssertion) -> None:
    (finding,) = overcommit_refuses(strict(-GiB), None)

    assert finding.summary == snapshot


def test_the_size_of_the_parent_is_a_setting() -> None:
    (finding,) = overcommit_refuses(strict(GiB), FOUR, main_bytes=GiB)

    assert finding.severity is Severity.RISKS


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        pytest.param(
            Memory(total=GiB, available=GiB),
            "memory: vm.overcommit_memory is not known",
            id="setting",
        ),
        pytest.param(
            Memory(total=GiB, available=GiB, overcommit=2, committed=1),
            "memory: the kernel does not report the committed memory",
            id="limit",
        ),
        pytest.param(
            Memory(total=GiB, available=GiB, overcommit=2, commit_limit=1),
            "memory: the kernel does not report the committed memory",
            id="promised",
        ),
    ],
)
def test_unknown_is_not_health(machine: Memory, reason: str) -> None:
    assert overcommit_refuses.run(Facts(machine)).skipped == reason


def test_judges_another_machine_from_its_record() -> None:
    box = strict(GiB)
    record: dict[str, Any] = json.loads(json.dumps(Facts(box, FOUR).to_record()))

    verdict = overcommit_refuses.run(Facts.from_record(record))

    assert verdict.findings == tuple(overcommit_refuses(box, FOUR))


def test_one_worker_is_one(snapshot: SnapshotAssertion) -> None:
    (finding,) = overcommit_refuses(strict(0), Loader(num_workers=1))

    assert finding.summary == snapshot
