"""Redacted values and plain ones: the same, or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipedoctor.diff.equality import is_equivalent, replace_names, to_canonical

DIFFERENT = [
    pytest.param("/home/<user-1>/a", "/home/joe/b", id="another folder"),
    pytest.param("/home/<user-1>/a", "/home/joe/deep/a", id="a user holds no slash"),
    pytest.param("/home/<user-1>/", "/home//", id="an alias stands for something"),
    pytest.param("nas:/x", "nas2:/x", id="two names"),
    pytest.param("a<user-1>b", "ab", id="nothing between"),
    pytest.param(1, True, id="a number and a truth"),
    pytest.param(1.0, "1.0", id="a number and a text"),
    pytest.param([1], [1, 1], id="once and twice"),
    pytest.param(["a", "b"], ["a", "c"], id="another entry"),
    pytest.param({"a": 1}, {"a": 2}, id="another value"),
    pytest.param({"a": 1}, {"b": 1}, id="another key"),
    pytest.param(None, 0, id="nothing and zero"),
    pytest.param("x" * 2000 + "<user-1>", "x" * 2000 + "joe", id="too long to look"),
    pytest.param("<user-1>" * 9, "joe" * 9, id="too many to look"),
]
SAME = [
    pytest.param("/home/<user-1>/a", "/home/joe/a", id="an alias and a name"),
    pytest.param("/home/<user-1>/a", "/home/<user-2>/a", id="two aliases"),
    pytest.param("<user-1>@nas:/x", "joe@<host-4>:/x", id="aliases at two places"),
    pytest.param("/data/<path-3>/x", "/data/secret/project/x", id="a path of parts"),
    pytest.param("https://u:<secret>@x", "https://u:hunter2@x", id="a secret"),
    pytest.param("/mnt/<host-2>-<user-1>", "/mnt/nas-joe", id="two in one part"),
    pytest.param(["/home/<user-1>", "b"], ["b", "/home/joe"], id="in another order"),
    pytest.param({"a": "<ip-1>"}, {"a": "10.0.0.1"}, id="in a dictionary"),
    pytest.param([{"a": "<ip-1>"}], [{"a": "10.0.0.1"}], id="in a table"),
    pytest.param((1, 2), [2, 1], id="tuples and lists"),
    pytest.param(2, 2.0, id="numbers"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: object, other: object) -> None:
    assert not is_equivalent(one, other)
    assert not is_equivalent(other, one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same(one: object, other: object) -> None:
    assert is_equivalent(one, other)
    assert is_equivalent(other, one)


def test_near() -> None:
    assert is_equivalent(100, 102, near=0.02)
    assert not is_equivalent(100, 103, near=0.02)
    assert is_equivalent([100], [102], near=0.02)
    assert not is_equivalent(True, False, near=1.0)


def test_many_entries_are_not_tried_in_pairs() -> None:
    many = [{"a": f"/home/<user-{i}>/{i}"} for i in range(300)]
    named = [{"a": f"/home/joe/{i}"} for i in range(300)]

    assert is_equivalent(many, named[::-1])
    assert not is_equivalent(many, [*named[1:], {"a": "/home/joe/x"}])


def test_plain_knows_homes_and_aliases() -> None:
    assert replace_names("/home/joe/x") == replace_names("/home/<user-7>/x") == "/home/<user>/x"
    assert replace_names("/home/root/x") == "/home/root/x"
    assert to_canonical({"b": 1, "a": "<host-2>"}) == to_canonical({"a": "<host-3>", "b": 1})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_anything_is_like_itself(value: object) -> None:
    assert is_equivalent(value, value)


@given(VALUES, VALUES)
def test_it_does_not_matter_who_is_asked(one: object, other: object) -> None:
    assert is_equivalent(one, other) == is_equivalent(other, one)
