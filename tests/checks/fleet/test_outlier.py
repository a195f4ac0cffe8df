"""What the checks over fleets share: who is compared, and how values are said."""

import math
from typing import Any

import pytest

from pipedoctor.facts.fleet import NodeProperty
from pipedoctor_checks.fleet._outlier import (
    build_outlier,
    compute_distance,
    compute_median,
    list_compared_columns,
)
from tests.checks.fleet.made_fleets import column, fleet


def test_only_properties_of_the_kind_and_of_enough_nodes_are_compared() -> None:
    few = column(NodeProperty(name="a.b"), ("x", 3))
    other = column(NodeProperty(name="c.d", kind="rate"), (1.0, 9))
    fits = column(NodeProperty(name="e.f"), ("x", 9))

    found = list_compared_columns(fleet(few, other, fits), "category", 5)

    assert [one.about.name for _, one in found] == ["e.f"]


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [(5, 5, 0), (0, 0, 0), (math.inf, math.inf, 0), (math.inf, 5, 1), (50, 100, 0.5)],
)
def test_distances_are_shares_of_the_larger(one: float, other: float, far: float) -> None:
    assert compute_distance(one, other) == far
    assert compute_distance(other, one) == far


def test_the_middle_of_counted_numbers() -> None:
    assert compute_median([(3, 1), (1, 2), (2, 1)]) == 1
    assert compute_median([(1, 1), (9, 2)]) == 9
    assert math.isnan(compute_median([]))


@pytest.mark.parametrize(
    ("unit", "value", "said"),
    [
        ("", None, "none"),
        ("", "", "none"),
        ("", True, "yes"),
        ("", False, "no"),
        ("", 0.12345, "0.1235"),
        ("", "text", "text"),
        ("bytes", 1 << 20, "1.0 MiB"),
        ("seconds", 0.5, "0.50 s"),
        ("bytes/s", 2_097_152.5, "2.0 MiB/s"),
        ("hertz", 2_000_000_000, "2.00 GHz"),
    ],
)
def test_values_are_said_in_units(unit: Any, value: Any, said: str) -> None:
    about = NodeProperty(name="a.b", unit=unit)
    seen = column(about, ("x", 9), (value, 1))
    (group,) = fleet(seen).groups

    finding = build_outlier(group, seen, 9, value, ("x", 9))

    assert finding.summary == f"n9: a.b is {said} (x on 90.0% of nodes with {group.name})"
