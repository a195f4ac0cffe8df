"""PDR780: versions and settings that hardly any node of a group has."""

from typing import Any

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts.fleet import Fleet, NodeProperty
from pipedoctor_checks.fleet.node_category_outlier import node_category_outlier
from tests.checks.fleet.made_fleets import GROUP, column, fleet

TORCH = NodeProperty(name="torch.version", severity="risks")
Counted = tuple[tuple[Any, int], ...]


@pytest.mark.parametrize(
    "counted",
    [
        pytest.param((("2.9", 100),), id="all the same"),
        pytest.param((("2.9", 95), ("2.8", 5)), id="a twentieth is a population"),
        pytest.param((("2.9", 19), ("2.8", 1)), id="one of twenty is a twentieth"),
        pytest.param((("2.9", 3), ("2.8", 1)), id="four nodes"),
        pytest.param((("2.9", 40), ("2.8", 30), ("2.7", 30)), id="three populations"),
        pytest.param(tuple((f"x{n}", 1) for n in range(100)), id="every node has its own"),
        pytest.param((("a", 79), *((f"x{n}", 1) for n in range(21))), id="no norm: too many odd"),
    ],
)
def test_it_is_silent(counted: Counted) -> None:
    assert node_category_outlier(fleet(column(TORCH, *counted))) == []


@pytest.mark.parametrize(
    ("counted", "odd"),
    [
        pytest.param((("2.9", 96), ("2.8", 4)), 4, id="less than a twentieth"),
        pytest.param((("2.9", 20), ("2.8", 1)), 1, id="one of twenty-one"),
        pytest.param((("2.9", 60), ("2.8", 38), ("2.7", 2)), 2, id="beside two populations"),
        pytest.param((("a", 80), *((f"x{n}", 1) for n in range(20))), 20, id="just a norm"),
        pytest.param(((True, 99), (False, 1)), 1, id="yes and no"),
        pytest.param((("", 99), ("error", 1)), 1, id="none and some"),
        pytest.param(((None, 99), ("0,1", 1)), 1, id="not there and there"),
    ],
)
def test_it_names_the_odd_ones(counted: Counted, odd: int) -> None:
    assert len(node_category_outlier(fleet(column(TORCH, *counted)))) == odd


def test_what_it_says() -> None:
    (finding,) = node_category_outlier(fleet(column(TORCH, ("2.9", 99), ("2.8", 1))))

    assert finding.severity is Severity.RISKS
    assert finding.summary == (f"n99: torch.version is 2.8 (2.9 on 99.0% of nodes with {GROUP})")
    assert finding.evidence == {
        "node": "n99",
        "group": GROUP,
        "property": "torch.version",
        "value": "2.8",
        "majority": "2.9",
        "share": 0.99,
    }


def test_nodes_that_do_not_say_are_not_counted() -> None:
    seen = column(TORCH, ("2.9", 19), ("2.8", 1))

    assert node_category_outlier(fleet(seen, nodes=500)) == []


def test_thresholds_are_settings() -> None:
    seen = fleet(column(TORCH, ("2.9", 95), ("2.8", 5)))

    assert len(node_category_outlier(seen, population=0.06)) == 5
    assert node_category_outlier(seen, population=0.06, no_norm=0.04) == []
    assert node_category_outlier(seen, population=0.06, fewest=101) == []


def test_an_unknown_fleet_is_not_healthy() -> None:
    assert node_category_outlier(Fleet()) == []
