"""Three and more: who stands apart, and in what."""

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.diff.absent import MISSING, UNKNOWN
from pipedoctor.diff.majority import find_outlier_side, find_outliers
from pipedoctor.diff.model import Difference
from pipedoctor.facts import Shm, TorchBuild
from tests.diff.conftest import Compare, GiB, changed, machine


@pytest.mark.parametrize(
    ("values", "sides"),
    [
        pytest.param([1, 2], (), id="of two nobody is right"),
        pytest.param([1, 2, 3], (), id="all differ"),
        pytest.param([1, 1, 2, 2], (), id="half and half"),
        pytest.param([1, 1, UNKNOWN, 2], (2 + 1,), id="one is not asked"),
        pytest.param([1, UNKNOWN, 2], (), id="two are left"),
        pytest.param([1, 1, 2], (2,), id="the last"),
        pytest.param([2, 1, 1], (0,), id="the first"),
        pytest.param([1, 1, MISSING], (2,), id="it is not there"),
        pytest.param([1, 1, 1, 2, 3], (3, 4), id="two, each its own way"),
        pytest.param([1, 1, 1], (), id="nobody"),
    ],
)
def test_apart(values: list[object], sides: tuple[int, ...]) -> None:
    assert find_outliers(values) == sides


def test_near_values_are_one() -> None:
    assert find_outliers([100, 101, 200], near=0.02) == (2,)


def one(*sides: int) -> Difference:
    return Difference(group="version", field="x", title="x", values=(), apart=sides)


def test_who_stands_apart_most_often() -> None:
    found = find_outlier_side([one(2), one(2), one(1), one(), one(0, 1)])

    assert found is not None
    assert (found.side, found.alone_in, found.of) == (2, 2, 5)


@pytest.mark.parametrize("differences", [[], [one()], [one(0), one(1)], [one(0, 1), one(1, 2)]])
def test_nobody_stands_apart(differences: list[Difference]) -> None:
    assert find_outlier_side(differences) is None


def test_one_of_three_machines(diff: Compare, snapshot: SnapshotAssertion) -> None:
    odd = changed(TorchBuild(version="2.5.1", local="cu124", cuda="12.4"))

    said = diff(machine(), odd, machine())

    assert said.apart is not None
    assert said.apart.side == 1
    assert {difference.apart for difference in said.differences} == {(1,)}
    assert said.answer == snapshot
    assert "a and c" in said.answer


def test_three_that_all_differ(diff: Compare, snapshot: SnapshotAssertion) -> None:
    sizes = (1, 2, 3)

    said = diff(*(changed(Shm(size=size * GiB)) for size in sizes))

    assert said.apart is None
    assert said.answer == snapshot


def test_two_never_stand_apart(diff: Compare) -> None:
    said = diff(machine(), changed(Shm(size=GiB)))

    assert said.apart is None
    assert said.differences[0].apart == ()
