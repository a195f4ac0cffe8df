"""Intervals hold the median as often as they say."""

import random

import pytest

from pipedoctor.bench.interval import compute_spread
from pipedoctor.facts import Spread


def test_nothing_has_no_median() -> None:
    assert compute_spread([]) is None


@pytest.mark.parametrize("count", [1, 2, 5, 6, 8])
def test_few_values_are_all_inside(count: int) -> None:
    found = compute_spread([float(n) for n in range(count, 0, -1)])

    assert found == Spread(value=(count + 1) / 2, low=1.0, high=float(count), windows=count)


def test_of_nine_the_outermost_are_cut_off() -> None:
    found = compute_spread([float(n) for n in range(1, 10)])

    assert found == Spread(value=5.0, low=2.0, high=8.0, windows=9)


def test_the_interval_holds_the_median_in_nineteen_of_twenty() -> None:
    dice = random.Random(7)
    inside = 0
    for _ in range(1000):
        found = compute_spread([dice.expovariate(1.0) for _ in range(15)])
        assert found is not None
        inside += found.low <= 0.6931 <= found.high

    assert inside >= 940


@pytest.mark.parametrize(
    ("low", "windows", "sure"),
    [(1.01, 3, True), (1.0, 3, False), (1.01, 2, False)],
    ids=["above", "at the boundary", "too few"],
)
def test_above_for_certain(low: float, windows: int, sure: bool) -> None:
    assert Spread(value=2, low=low, high=3, windows=windows).is_above(1.0) is sure
