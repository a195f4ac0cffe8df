"""What bounds a setting, also where the machine does not say it."""

import os
from typing import Any
from unittest.mock import Mock

import pytest

from pipedoctor.facts import Cpu, Memory
from pipedoctor.facts.memory import MemoryLimit
from pipedoctor.tune.search import limits
from pipedoctor.tune.search.limits import read_limits
from pipedoctor.units import GiB


def unreadable(*_: Any) -> Any:
    message = "no /proc here"
    raise OSError(message)


def test_what_nobody_tells_bounds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cpu", "memory", "limits"):
        monkeypatch.setattr(limits, name, unreadable)
    monkeypatch.setattr(os, "statvfs", unreadable)

    found = read_limits()

    assert found.cpus == os.cpu_count()
    assert (found.memory, found.shm, found.descriptors) == (None, None, None)
    assert (found.cpus_bound, found.memory_bound) == ("machine", "machine")


@pytest.mark.parametrize(
    ("group", "room", "bound"),
    [
        (None, 0.9 * 10 * GiB, "machine"),
        (MemoryLimit(limit=20 * GiB), 0.9 * 10 * GiB, "machine"),
        (MemoryLimit(limit=8 * GiB), 0.9 * 8 * GiB, "control group"),
        (
            MemoryLimit(limit=8 * GiB, used=5 * GiB, cache=GiB),
            0.9 * 4 * GiB,
            "control group",
        ),
    ],
    ids=["none", "wide", "empty", "in use, but for pages of files"],
)
def test_memory_is_what_the_tighter_one_leaves(
    monkeypatch: pytest.MonkeyPatch, group: MemoryLimit | None, room: float, bound: str
) -> None:
    seen = Memory(total=16 * GiB, available=10 * GiB, group=group)
    monkeypatch.setattr(limits, "memory", Mock(return_value=seen))

    found = read_limits(ranks=2)

    assert (found.memory, found.memory_bound) == (int(int(room) / 2), bound)
    assert found.cpus_bound.endswith(", 2 ranks")


def test_what_is_asked_for_counts_for_each_rank() -> None:
    found = read_limits(memory_size=3 * GiB, max_workers=5, ranks=2)

    assert (found.memory, found.memory_bound) == (3 * GiB, "--memory")
    assert (found.max_workers, found.workers_bound) == (5, "--max-workers")


@pytest.mark.parametrize(
    ("cpus", "most", "bound"),
    [
        (3, 16, "minimum of 16"),
        (4, 16, "4 workers per CPU"),
        (12, 48, "4 workers per CPU"),
        (16, 64, "4 workers per CPU"),
        (17, 64, "maximum of 64"),
    ],
)
def test_the_number_of_workers_names_the_term_that_binds(
    monkeypatch: pytest.MonkeyPatch, cpus: int, most: int, bound: str
) -> None:
    monkeypatch.setattr(limits, "cpu", Mock(return_value=Cpu(logical=cpus)))

    found = read_limits()

    assert (found.max_workers, found.workers_bound) == (most, bound)
    assert found.workers_message == f"workers: at most {most} tried ({bound})"
    assert found.cpus_message == f"CPUs: {cpus} (machine)"


def test_cpus_are_those_that_a_rank_is_kept_on(monkeypatch: pytest.MonkeyPatch) -> None:
    own = len(os.sched_getaffinity(0))
    monkeypatch.setattr(limits, "cpu", Mock(return_value=Cpu(logical=own)))

    found = read_limits(ranks=own)

    assert (found.cpus, len(found.rank_cpus)) == (1, 1 if own > 1 else 0)
    assert found.unshared_reason == ""


def test_cpus_are_all_where_no_rank_can_be_kept_on_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_setaffinity", unreadable)

    found = read_limits(ranks=2)

    assert (found.cpus, found.rank_cpus) == (read_limits().cpus, frozenset())
    assert "ranks" not in found.cpus_bound
    assert found.unshared_reason.startswith("2 ranks: measured with ")
