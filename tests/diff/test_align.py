"""Entries of lists find their like on the other side."""

from typing import Any

import pytest

from pipedoctor.diff.absent import MISSING, UNKNOWN
from pipedoctor.diff.align import align_lists
from pipedoctor.diff.compare import FactComparison, FactDifference
from pipedoctor.diff.field_meanings import FieldMeaning, find_meaning
from pipedoctor.diff.values import format_values

PACKAGES = find_meaning("packages.entries[]")
FILES = FieldMeaning(field="x[]", key=("path",))
PLACES = FieldMeaning(field="x[]", key=("role",), tie=("named_by",))


def names(row: FieldMeaning, *lists: object) -> dict[str, tuple[object, ...]]:
    return dict(align_lists(row, lists, [True] * len(lists)))


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

    assert dict(align_lists(FILES, lists, [False, True])) == {
        "a": ({"path": "a"}, MISSING),
        "b": (UNKNOWN, {"path": "b"}),
    }


def test_a_name_that_was_redacted() -> None:
    plain, alias = {"path": "/data/secret/a"}, {"path": "/data/<path-1>/a"}

    assert names(FILES, [plain], [alias]) == {"/data/secret/a": (plain, alias)}
    assert names(FILES, [alias], [plain]) == {"/data/secret/a": (alias, plain)}
    assert len(names(FILES, [alias], [{"path": "/data/b"}])) == 2


def shown(row: FieldMeaning, *sides: Any) -> list[str]:
    return [one.shown for one in format_values(FactDifference(field="x", row=row, values=sides))]


CASES: list[tuple[FieldMeaning, tuple[Any, ...], list[str]]] = [
    (FieldMeaning(field="x", unit="bytes"), (1 << 30, 5), ["1.0 GiB", "5 B"]),
    (FieldMeaning(field="x", unit="seconds"), (0.5, 20.0), ["0.50 s", "20.0 s"]),
    (FieldMeaning(field="x", unit="hertz"), (3e9, 25e8), ["3.00 GHz", "2.50 GHz"]),
    (FieldMeaning(field="x"), (8.0, 8), ["8", "8"]),
    (FieldMeaning(field="x", null="unlimited"), (None, 1), ["unlimited", "1"]),
    (FieldMeaning(field="x"), (None, ""), ["none", "none"]),
    (FieldMeaning(field="x"), (True, False), ["yes", "no"]),
    (FieldMeaning(field="x"), (UNKNOWN, MISSING), ["unknown", "missing"]),
    (FieldMeaning(field="x"), (["a", "b"], ["b"]), ["a", "none of the others"]),
    (FieldMeaning(field="x"), (["a"], []), ["a", "none"]),
    (FieldMeaning(field="x"), ([{"a": 1}], []), ["1", "none"]),
    (FieldMeaning(field="x"), ([{"a": 1}, 2], [2]), ["1 unique to it", "none of the others"]),
    (FieldMeaning(field="x"), ({"a": 1, "b": 2}, 3), ["a 1, b 2", "3"]),
    (FieldMeaning(field="x", show="y"), ({"y": ""}, {"y": 4}), ["present", "4"]),
    (
        FieldMeaning(field="x"),
        ([str(n) for n in range(9)], ["z"]),
        ["0, 1, 2, 3, 4, 5 and 3 more", "z"],
    ),
    (FieldMeaning(field="x"), ("y" * 200, "z"), ["y" * 157 + "...", "z"]),
]


@pytest.mark.parametrize(("row", "sides", "said"), CASES)
def test_values_in_words(row: FieldMeaning, sides: tuple[Any, ...], said: list[str]) -> None:
    assert shown(row, *sides) == said


def test_what_is_nested_too_deeply_is_compared_as_a_whole() -> None:
    def nested(value: int) -> dict[str, Any]:
        inner: Any = value
        for _ in range(200):
            inner = {"x": inner}
        return {"new": inner}

    (found,) = FactComparison([False, False]).compare_sections([nested(1), nested(2)])

    assert found.field.count("x") < 30
