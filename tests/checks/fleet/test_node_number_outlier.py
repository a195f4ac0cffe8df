"""PDR781: numbers far from the median, in deviations and in size."""

import random
import sys
from types import FrameType
from typing import Any

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts.fleet import NodeProperty
from pipedoctor_checks.fleet.node_number_outlier import (
    compute_quantile,
    node_number_outlier,
)
from tests.checks.fleet.made_fleets import GROUP, column, fleet

GIB = 1 << 30
SHM = NodeProperty(name="shm.size", kind="number", worse="less", severity="risks", unit="bytes")
MEMORY = NodeProperty(name="memory.total", kind="number", worse="less", near=0.025, least=GIB)
PLAIN = NodeProperty(name="x.y", kind="number", severity="risks")
Counted = tuple[tuple[Any, int], ...]


def spread(low: int, high: int, count: int = 500) -> Counted:
    rng = random.Random(1)
    return tuple((rng.randint(low, high) + n, 1) for n in range(count))


@pytest.mark.parametrize(
    ("about", "counted"),
    [
        pytest.param(SHM, ((GIB, 100),), id="all the same"),
        pytest.param(SHM, ((100, 99), (95, 1)), id="within its own size"),
        pytest.param(SHM, ((GIB, 95), (64 << 20, 5)), id="a population"),
        pytest.param(SHM, ((GIB, 30), (64 << 20, 2)), id="two of 32 are a population"),
        pytest.param(SHM, ((GIB, 3), (64 << 20, 1)), id="four nodes"),
        pytest.param(SHM, spread(GIB, 2 * GIB), id="noise as wide as the value"),
        pytest.param(
            MEMORY,
            tuple((512 * GIB - n * 7 * 10**6, 1) for n in range(100)),
            id="some hundred MB of memory",
        ),
        pytest.param(MEMORY, ((10 * GIB, 99), (10 * GIB - 900 * 10**6, 1)), id="less than a GiB"),
        pytest.param(PLAIN, tuple((n * 1000, 1) for n in range(100)), id="all differ"),
        pytest.param(PLAIN, ((8, 70), *((n, 1) for n in range(100, 130))), id="no norm"),
        pytest.param(
            MEMORY,
            ((256 * GIB, 40), (512 * GIB, 30), (1024 * GIB, 30)),
            id="three kinds of nodes",
        ),
        pytest.param(
            SHM,
            ((4, 40), (400, 30), (40_000, 24), *((10**n, 1) for n in range(6, 12))),
            id="three kinds, and others without a norm",
        ),
        pytest.param(PLAIN, ((None, 100),), id="no limit anywhere"),
        pytest.param(PLAIN, ((0, 100),), id="nothing anywhere"),
    ],
)
def test_it_is_silent(about: NodeProperty, counted: Counted) -> None:
    assert node_number_outlier(fleet(column(about, *counted))) == []


@pytest.mark.parametrize(
    ("about", "counted", "odd"),
    [
        pytest.param(SHM, ((GIB, 99), (64 << 20, 1)), 1, id="64 MiB"),
        pytest.param(SHM, ((GIB, 4), (64 << 20, 1)), 1, id="one of five"),
        pytest.param(SHM, ((100, 99), (94, 1)), 1, id="just more than its size"),
        pytest.param(SHM, ((GIB, 97), (64 << 20, 3)), 3, id="three of a hundred"),
        pytest.param(SHM, ((None, 99), (64 << 20, 1)), 1, id="a limit where none have one"),
        pytest.param(SHM, ((64 << 20, 99), (None, 1)), 1, id="no limit where all have one"),
        pytest.param(PLAIN, ((0, 99), (3, 1)), 1, id="some where none have any"),
        pytest.param(PLAIN, ((8, 99), (0, 1)), 1, id="none where all have some"),
        pytest.param(MEMORY, ((512 * GIB, 99), (480 * GIB, 1)), 1, id="a module of memory"),
        pytest.param(
            MEMORY,
            ((256 * GIB, 40), (512 * GIB, 30), (1024 * GIB, 29), (128 * GIB, 1)),
            1,
            id="less than all of three kinds",
        ),
        pytest.param(
            MEMORY,
            ((256 * GIB, 40), (512 * GIB, 30), (1024 * GIB, 29), (480 * GIB, 1)),
            1,
            id="a module of memory less than its kind",
        ),
        pytest.param(
            SHM,
            (
                *spread(10**9, 10**9 + 10**6, 40),
                *spread(10**10, 10**10 + 10**7, 30),
                (None, 30),
                (64 << 20, 1),
            ),
            1,
            id="beside three noisy kinds, one without limit",
        ),
        pytest.param(SHM, (*spread(10**9, 10**9 + 10**6), (64 << 20, 1)), 1, id="beside noise"),
    ],
)
def test_it_names_the_odd_ones(about: NodeProperty, counted: Counted, odd: int) -> None:
    assert len(node_number_outlier(fleet(column(about, *counted)))) == odd


def test_what_it_says() -> None:
    seen = fleet(column(SHM, (64 << 30, 499), (64 << 20, 1)))

    (finding,) = node_number_outlier(seen)

    assert finding.severity is Severity.RISKS
    assert finding.summary == (
        f"n499: shm.size is 64.0 MiB (64.0 GiB on 99.8% of nodes with {GROUP})"
    )
    assert finding.evidence["value"] == 64 << 20
    assert finding.evidence["majority"] == 64 << 30
    assert finding.evidence["share"] == 0.998


def test_more_of_what_is_better_is_a_note() -> None:
    (finding,) = node_number_outlier(fleet(column(SHM, (GIB, 99), (9 * GIB, 1))))

    assert finding.severity is Severity.NOTE


@pytest.mark.parametrize("value", [1, 100])
def test_where_neither_is_better_both_hurt(value: int) -> None:
    (finding,) = node_number_outlier(fleet(column(PLAIN, (10, 99), (value, 1))))

    assert finding.severity is Severity.RISKS


def test_the_majority_of_noisy_numbers_is_their_median() -> None:
    noisy = tuple((10**9 + n, 1) for n in range(99))

    (finding,) = node_number_outlier(fleet(column(SHM, *noisy, (1, 1))))

    assert finding.evidence["majority"] == 10**9 + 48
    assert finding.evidence["share"] == 0.99


def test_more_trials_need_more_deviations() -> None:
    assert compute_quantile(0.01, 1) < compute_quantile(0.01, 10**6) < 7
    assert compute_quantile(0.01, 0) == compute_quantile(0.01, 1)
    assert compute_quantile(100.0, 1) == 0.0


def test_thresholds_are_settings() -> None:
    seen = fleet(column(SHM, (GIB, 95), (64 << 20, 5)))

    assert len(node_number_outlier(seen, population=0.06)) == 5
    assert node_number_outlier(seen, population=0.06, no_norm=0.04) == []
    assert node_number_outlier(seen, population=0.06, fewest=101) == []
    noisy = fleet(column(SHM, *((100 + n, 1) for n in range(20)), (10, 1)))
    assert node_number_outlier(noisy, deviations=1.0, false_alarms=100.0)
    assert node_number_outlier(noisy, deviations=50.0) == []


def test_a_group_of_two_kinds_takes_few_steps_a_node() -> None:
    """Each node of the smaller kind is far from the larger one, and each has its own number."""
    numbers = [376 * GIB - n * 10**5 for n in range(1500)]
    numbers += [188 * GIB - n * 10**5 for n in range(1000)]
    steps = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal steps
        steps += event == "call" and frame.f_code.co_name == "compute_distance"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = node_number_outlier(fleet(column(MEMORY, *((n, 1) for n in numbers))))
    finally:
        sys.setprofile(before)

    assert found == []
    assert steps < 60 * len(numbers)
