"""PDR783: nodes judged against one that is known to be good."""

from typing import Any

import pytest

from pipedoctor.check import CannotJudge
from pipedoctor.facts.fleet import NodeProperty, ReferenceNode
from pipedoctor_checks.fleet.node_category_outlier import node_category_outlier
from pipedoctor_checks.fleet.node_reference_mismatch import node_reference_mismatch
from tests.checks.fleet.made_fleets import GROUP, column, fleet

TORCH = NodeProperty(name="torch.version")
SHM = NodeProperty(name="shm.size", kind="number", worse="less", least=10.0)
DISK = NodeProperty(name="disk.rate", kind="rate", worse="less")
DECODE = NodeProperty(name="decode.seconds", kind="rate", worse="more")


def golden(group: str = GROUP, **values: Any) -> ReferenceNode:
    names = {name.replace("_", "."): value for name, value in values.items()}
    return ReferenceNode(node="good", group=group, values=names)


@pytest.mark.parametrize(
    ("about", "value", "usual"),
    [
        pytest.param(TORCH, "2.9", "2.9", id="the same"),
        pytest.param(SHM, 960, 1000, id="within its size"),
        pytest.param(SHM, 1, 10, id="less than counts"),
        pytest.param(SHM, None, None, id="both without limit"),
        pytest.param(DISK, 300.0, 1000.0, id="three times slower"),
        pytest.param(DISK, 9000.0, 1000.0, id="faster"),
        pytest.param(DECODE, 3.0, 1.0, id="three times as long"),
    ],
)
def test_it_is_silent(about: NodeProperty, value: Any, usual: Any) -> None:
    reference = ReferenceNode(node="good", group=GROUP, values={about.name: usual})

    found = node_reference_mismatch(fleet(column(about, (value, 3)), reference=reference))

    assert found == []


@pytest.mark.parametrize(
    ("about", "value", "usual"),
    [
        pytest.param(TORCH, "2.8", "2.9", id="another version"),
        pytest.param(TORCH, None, "2.9", id="not there"),
        pytest.param(SHM, 900, 1000, id="less"),
        pytest.param(SHM, None, 1000, id="no limit"),
        pytest.param(DISK, 200.0, 1000.0, id="five times slower"),
        pytest.param(DISK, 0.0, 1000.0, id="at a standstill"),
        pytest.param(DECODE, 5.0, 1.0, id="five times as long"),
    ],
)
def test_every_node_that_differs_is_named(about: NodeProperty, value: Any, usual: Any) -> None:
    reference = ReferenceNode(node="good", group=GROUP, values={about.name: usual})
    seen = fleet(column(about, (value, 2), (usual, 1)), reference=reference)

    found = node_reference_mismatch(seen)

    assert [one.evidence["node"] for one in found] == ["n0", "n1"]
    assert found[0].evidence["majority"] == usual
    assert found[0].evidence["share"] == 0.3333


def test_what_the_record_does_not_say_is_not_judged() -> None:
    seen = fleet(column(TORCH, ("2.9", 3)), reference=golden(shm_size=1))

    assert node_reference_mismatch(seen) == []


def test_other_groups_are_compared_with_their_peers() -> None:
    odd = column(TORCH, ("2.9", 99), ("2.8", 1))
    theirs = fleet(odd, reference=golden("4 x A100", torch_version="2.7"))
    ours = fleet(odd, reference=golden(torch_version="2.8"))

    assert node_reference_mismatch(theirs) == []
    assert len(node_category_outlier(theirs)) == 1
    assert len(node_reference_mismatch(ours)) == 99
    assert node_category_outlier(ours) == []


def test_without_a_record_nothing_is_judged() -> None:
    with pytest.raises(CannotJudge, match="no --golden given"):
        node_reference_mismatch(fleet(column(TORCH, ("2.9", 9))))


def test_the_ratio_is_a_setting() -> None:
    seen = fleet(column(DISK, (300.0, 1)), reference=golden(disk_rate=1000.0))

    assert len(node_reference_mismatch(seen, times=2.0)) == 1
