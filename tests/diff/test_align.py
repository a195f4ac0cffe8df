"""Entries of lists find their like on the other side."""

from typing import Any

import pytest

from pipedoctor.diff.align import aligned
from pipedoctor.diff.compare import Comparison, Found
from pipedoctor.diff.meaning import Meaning, meaning
from pipedoctor.diff.show import values
from pipedoctor.diff.unknown import MISSING, UNKNOWN

PACKAGES = meaning("packages.entries[]")
FILES = Meaning(field="x[]", key=("path",))
PLACES = Meaning(field="x[]", key=("role",), tie=("named_by",))


def names(row: Meaning, *lists: object) -> dict[str, tuple[object, ...]]:
    return dict(aligned(row, lists, [True] * len(lists)))


def test_copies_of_a_package_keep_their_order() -> None:
    copies = [{"name": "numpy", "version": v} for v in ("2", "1")]

    found = names(PACKAGES, copies, copies[:1])

    assert found == {
        "numpy": (copies[0], copies[0]),
        "numpy #2": (copies[1], MISSING),
    }


def test_equal_keys_have_no_order_elsewhere() -> None:
    rows = [{"path": "a", "kind": "y"}, {"path": "a", "kind": "x"}]

    one, other = names(FILES, rows), names(FILES, rows[::-1])

    assert one == other
    assert list(one) == ["a", "a #2"]


def test_what_else_tells_them_apart() -> None:
    one = [{"role": "cache", "named_by": by} for by in ("HF_HOME", "TORCH_HOME")]

    assert set(names(PLACES, one, one[1:])) == {"cache (HF_HOME)", "cache (TORCH_HOME)"}
    assert set(names(PLACES, one[:1], one[1:])) == {"cache"}


def test_a_list_that_is_none_is_unknown() -> None:
    assert names(FILES, [{"path": "a"}], "rubbish") == {"a": ({"path": "a"}, UNKNOWN)}


def test_a_list_that_is_not_whole() -> None:
    lists = [[{"path": "a"}], [{"path": "b"}]]

    assert dict(aligned(FILES, lists, [False, True])) == {
        "a": ({"path": "a"}, MISSING),
        "b": (UNKNOWN, {"path": "b"}),
    }


def test_a_name_that_was_redacted() -> None:
    plain, alias = {"path": "/data/secret/a"}, {"path": "/data/<path-1>/a"}

    assert names(FILES, [plain], [alias]) == {"/data/secret/a": (plain, alias)}
    assert names(FILES, [alias], [plain]) == {"/data/secret/a": (alias, plain)}
    assert len(names(FILES, [alias], [{"path": "/data/b"}])) == 2


def shown(row: Meaning, *sides: Any) -> list[str]:
    return [one.shown for one in values(Found(field="x", row=row, values=sides))]


CASES: list[tuple[Meaning, tuple[Any, ...], list[str]]] = [
    (Meaning(field="x", unit="bytes"), (1 << 30, 5), ["1.0 GiB", "5 B"]),
    (Meaning(field="x", unit="seconds"), (0.5, 20.0), ["0.50 s", "20.0 s"]),
    (Meaning(field="x", unit="hertz"), (3e9, 25e8), ["3.00 GHz", "2.50 GHz"]),
    (Meaning(field="x"), (8.0, 8), ["8", "8"]),
    (Meaning(field="x", null="unlimited"), (None, 1), ["unlimited", "1"]),
    (Meaning(field="x"), (None, ""), ["none", "none"]),
    (Meaning(field="x"), (True, False), ["yes", "no"]),
    (Meaning(field="x"), (UNKNOWN, MISSING), ["unknown there", "not there"]),
    (Meaning(field="x"), (["a", "b"], ["b"]), ["a", "none of these"]),
    (Meaning(field="x"), (["a"], []), ["a", "none"]),
    (Meaning(field="x"), ([{"a": 1}], []), ["1", "none"]),
    (Meaning(field="x"), ([{"a": 1}, 2], [2]), ["1 of its own", "none of these"]),
    (Meaning(field="x"), ({"a": 1, "b": 2}, 3), ["a 1, b 2", "3"]),
    (Meaning(field="x", show="y"), ({"y": ""}, {"y": 4}), ["there", "4"]),
    (
        Meaning(field="x"),
        ([str(n) for n in range(9)], ["z"]),
        ["0, 1, 2, 3, 4, 5 and 3 more", "z"],
    ),
    (Meaning(field="x"), ("y" * 200, "z"), ["y" * 157 + "...", "z"]),
]


@pytest.mark.parametrize(("row", "sides", "said"), CASES)
def test_values_in_words(row: Meaning, sides: tuple[Any, ...], said: list[str]) -> None:
    assert shown(row, *sides) == said


def test_what_is_nested_too_deeply_is_compared_as_a_whole() -> None:
    def nested(value: int) -> dict[str, Any]:
        inner: Any = value
        for _ in range(200):
            inner = {"x": inner}
        return {"new": inner}

    (found,) = Comparison([False, False]).sections([nested(1), nested(2)])

    assert found.field.count("x") < 30
