"""Whatever is compared: nothing differs from itself, and order means nothing."""

import random
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipedoctor.diff.absent import UNKNOWN
from pipedoctor.diff.compare import FactComparison
from pipedoctor.diff.equality import is_equivalent
from pipedoctor.diff.model import Diff
from pipedoctor.diff.side import read_report_side
from pipedoctor.facts import Facts
from pipedoctor.privacy.identity import UserIdentity
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.diff.compared_facts import JOB, packages
from tests.diff.conftest import MACHINES, Compare, Record, changed, machine, recorded

ANNA = UserIdentity(users=("anna",), homes=("/home/anna",))
TICKETS = sorted((MACHINES[0].parents[1] / "text" / "tickets").glob("*.txt"))


@pytest.mark.parametrize("path", [*MACHINES, *TICKETS], ids=lambda path: path.name)
def test_every_machine_is_like_itself(diff: Compare, path: Any) -> None:
    data = path.read_bytes()

    said = diff(read_report_side("a", data), read_report_side("b", data))

    assert said.differences == ()
    assert said.folded == ()
    assert said.is_comparable


def shuffled(value: Any, seed: random.Random) -> Any:
    """The same with every list in another order."""
    if isinstance(value, dict):
        items = list(cast("dict[str, Any]", value).items())
        seed.shuffle(items)
        return {name: shuffled(item, seed) for name, item in items}
    if isinstance(value, list):
        rows = [shuffled(item, seed) for item in cast("list[object]", value)]
        seed.shuffle(rows)
        return rows
    return value


@pytest.mark.extended
@given(st.randoms(use_true_random=False))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_lists_means_nothing(diff: Compare, seed: random.Random) -> None:
    record = recorded(machine())

    said = diff(record, shuffled(record, seed))

    assert said.differences == ()
    assert said.folded == ()


def redacted(facts: Facts, earlier: int = 0) -> Record:
    """As a report shows it, after so many other users."""
    redactor = Redactor(RedactionLevel.ALL, ANNA)
    for number in range(earlier):
        redactor.redact_text(f"/home/user{number}/x")
    return recorded(redactor.redact_facts(facts))


@pytest.mark.parametrize("other", [0, 3])
def test_redaction_is_no_difference(diff: Compare, other: int) -> None:
    assert "<user-" in str(redacted(machine()))

    plain = diff(machine(), redacted(machine(), other))
    both = diff(redacted(machine()), redacted(machine(), other))

    assert plain.differences == both.differences == ()


def test_a_difference_shows_through_redaction(diff: Compare) -> None:
    said = diff(redacted(machine(), 3), changed(packages(numpy="1.26.4")))

    assert "packages.entries[numpy].version" in {one.field for one in said.differences}


def mirrored(said: Diff) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (one.field, tuple(value.shown for value in reversed(one.values)))
        for one in said.differences
    ]


def test_swapping_the_sides_mirrors_what_is_said(diff: Compare) -> None:
    data = MACHINES[0].read_bytes()
    one = changed(JOB, packages(numpy="1.26.4", attrs="", pillow="10.0"))

    there = diff(one, read_report_side("b", data))
    back = diff(read_report_side("b", data), one)

    assert len(there.differences) > 10
    assert mirrored(there) == [
        (one.field, tuple(value.shown for value in one.values)) for one in back.differences
    ]
    assert there.compared == back.compared


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "entries", "size", "x"]), inner, max_size=3)
    ),
    max_leaves=10,
)
FACTS = st.dictionaries(
    st.sampled_from(["packages", "paths", "shm", "gpu", "new"]),
    st.dictionaries(st.sampled_from(["entries", "devices", "size", "new"]), JSON, max_size=3),
    max_size=3,
)


@given(FACTS, FACTS)
def test_any_records_can_be_compared(one: Record, other: Record) -> None:
    for sides in ((one, other), (other, one), (one, one)):
        comparison = FactComparison([False, False])
        found = list(comparison.compare_sections(sides))

        if sides[0] is sides[1]:
            assert found == []
        assert comparison.compared or not found
        for difference in found:
            known = [value for value in difference.values if value is not UNKNOWN]
            assert len(known) == 2
            assert not is_equivalent(known[0], known[1])
