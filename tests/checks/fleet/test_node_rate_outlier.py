"""PDR782: rates on a logarithmic scale, slower ones only."""

import math
import random
from typing import Any

import pytest

from pipedoctor.check import Severity
from pipedoctor.facts.fleet import NodeProperty
from pipedoctor_checks.fleet.node_rate_outlier import node_rate_outlier
from tests.checks.fleet.made_fleets import GROUP, column, fleet

DISK = NodeProperty(
    name="datasets.cold_read.bytes_per_second",
    kind="rate",
    worse="less",
    severity="slows",
    unit="bytes/s",
)
DECODE = NodeProperty(name="node_probe.decode_seconds", kind="rate", worse="more", severity="slows")
Counted = tuple[tuple[Any, int], ...]


def noisy(sigma: float, count: int = 1000) -> Counted:
    """Rates as disks have them: the products of many small things."""
    rng = random.Random(3)
    return tuple((1e9 * rng.lognormvariate(0, sigma), 1) for _ in range(count))


def tail(first: float, last: float) -> Counted:
    """Disks so many times slower, each a fifth slower than the one before."""
    count = int(math.log(last / first) / math.log(1.2))
    return tuple((1e9 / (first * 1.2**step), 1) for step in range(count + 1))


@pytest.mark.parametrize(
    ("about", "counted"),
    [
        pytest.param(DISK, ((1e9, 100),), id="all the same"),
        pytest.param(DISK, ((1e9, 99), (5e8, 1)), id="half as fast"),
        pytest.param(DISK, ((1e9, 99), (2.1e8, 1)), id="nearly five times slower"),
        pytest.param(DISK, ((1e9, 99), (1e12, 1)), id="faster"),
        pytest.param(DISK, ((1e9, 95), (1e7, 5)), id="a population"),
        pytest.param(DISK, ((1e9, 3), (1e7, 1)), id="four nodes"),
        pytest.param(DISK, noisy(0.3), id="noise"),
        pytest.param(DISK, noisy(0.6), id="much noise"),
        pytest.param(DISK, (*noisy(0.1), *tail(2.0, 6.0)), id="a tail of ever slower ones"),
        pytest.param(DECODE, ((0.001, 99), (0.0001, 1)), id="a shorter time"),
    ],
)
def test_it_is_silent(about: NodeProperty, counted: Counted) -> None:
    assert node_rate_outlier(fleet(column(about, *counted))) == []


@pytest.mark.parametrize(
    ("about", "counted"),
    [
        pytest.param(DISK, ((1e9, 99), (1.9e8, 1)), id="five times slower"),
        pytest.param(DISK, ((1e9, 98), (2.5e8, 1), (1.9e8, 1)), id="after one that is nearly so"),
        pytest.param(DISK, ((1e9, 4), (5e7, 1)), id="one of five"),
        pytest.param(DISK, ((1e9, 99), (0.0, 1)), id="at a standstill"),
        pytest.param(DISK, (*noisy(0.4), (5e7, 1)), id="twenty times slower in a noisy group"),
        pytest.param(DECODE, ((0.001, 99), (0.02, 1)), id="a longer time"),
    ],
)
def test_it_names_the_slow_one(about: NodeProperty, counted: Counted) -> None:
    (finding,) = node_rate_outlier(fleet(column(about, *counted)))

    assert finding.severity is Severity.SLOWS
    assert finding.evidence["value"] == counted[-1][0]


def test_what_it_says() -> None:
    (finding,) = node_rate_outlier(fleet(column(DISK, (1 << 30, 99), (1 << 20, 1))))

    assert finding.summary == (
        f"n99: datasets.cold_read.bytes_per_second is 1.0 MiB/s"
        f" (1.0 GiB/s on 99.0% of nodes with {GROUP})"
    )


def test_thresholds_are_settings() -> None:
    seen = fleet(column(DISK, (1e9, 99), (3e8, 1)))

    assert len(node_rate_outlier(seen, times=3.0)) == 1
    assert node_rate_outlier(seen, times=3.0, fewest=101) == []
    several = fleet(column(DISK, (1e9, 95), (1e7, 5)))
    assert len(node_rate_outlier(several, population=0.06)) == 5
    loose = fleet(column(DISK, *noisy(0.6), (1e8, 1)))
    assert node_rate_outlier(loose, deviations=1.0, false_alarms=1e9)
    assert node_rate_outlier(loose, deviations=40.0) == []
