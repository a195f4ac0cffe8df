"""One of several ranks on a machine: the CPUs that it is measured with."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.collect.machine import Machine
from pipedoctor.tune.search.ranks import RankCpus, assign_rank_cpus, pin_to_cpus


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine on which we may use eight CPUs, and choose among them."""

    def ours(pid: int) -> set[int]:
        assert pid == 0
        return set(range(8))

    def chosen(pid: int, cpus: Any) -> None:
        assert pid == 0
        assert set(cpus) <= ours(0)

    monkeypatch.setattr(os, "sched_getaffinity", ours)
    monkeypatch.setattr(os, "sched_setaffinity", chosen)
    return Machine(root=tmp_path)


@pytest.mark.parametrize(
    ("cpus", "ranks", "number"), [(8, 2, 4), (8, 3, 2), (2.5, 2, 1), (8, 8, 1)]
)
def test_a_rank_has_whole_cpus(machine: Machine, cpus: float, ranks: int, number: int) -> None:
    own = frozenset(range(number))
    assert assign_rank_cpus(machine, cpus, ranks) == RankCpus(cpus=number, cpu_numbers=own)


def test_one_process_may_use_them_all(machine: Machine) -> None:
    assert assign_rank_cpus(machine, 1.5, 1) == RankCpus(cpus=1.5)


def test_ranks_with_less_than_a_cpu_are_said_to_be_measured_with_one(
    machine: Machine,
    snapshot: SnapshotAssertion,
) -> None:
    found = assign_rank_cpus(machine, 2, 4)
    assert (found.cpus, found.cpu_numbers) == (1, frozenset({0}))
    assert found.reason == snapshot


def test_a_rank_gets_both_threads_of_a_core(machine: Machine) -> None:
    for number in range(8):
        folder = machine.root / f"sys/devices/system/cpu/cpu{number}/topology"
        folder.mkdir(parents=True)
        first = number % 4
        (folder / "thread_siblings_list").write_text(f"{first},{first + 4}\n")
    assert assign_rank_cpus(machine, 8, 2).cpu_numbers == {0, 1, 4, 5}


def test_where_no_process_can_be_kept_on_a_cpu_all_are_used_and_it_is_said(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(pid: int, cpus: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    said = "2 ranks: measured with 8 CPUs instead of one rank's share"
    monkeypatch.setattr(os, "sched_setaffinity", refused)
    why = f"{said} (sched_setaffinity: Operation not permitted)"
    assert assign_rank_cpus(machine, 8, 2) == RankCpus(cpus=8, reason=why)

    monkeypatch.delattr(os, "sched_getaffinity")
    why = f"{said} (CPU affinity is not supported on this system)"
    assert assign_rank_cpus(machine, 8, 2) == RankCpus(cpus=8, reason=why)


def started() -> str:
    code = "import os; print(*os.sched_getaffinity(0))"
    return subprocess.check_output([sys.executable, "-c", code], text=True).strip()


def test_what_is_started_is_kept_on_them_and_we_are_not() -> None:
    before = os.sched_getaffinity(0)
    with pin_to_cpus(frozenset({max(before)})):
        assert started() == str(max(before))
    assert os.sched_getaffinity(0) == before
    with pin_to_cpus(frozenset()):
        assert len(started().split()) == len(before)
