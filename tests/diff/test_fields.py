"""The table of fields: whole, true to the facts, and open to what is new."""

import types
import typing
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from pipedoctor.diff.field_meanings import find_meaning, is_classified, read_field_table
from pipedoctor.facts import SECTIONS
from tests.diff.conftest import Compare, machine, recorded


def fields(path: str, kind: Any) -> Iterator[str]:
    """Every field below, as the table writes it."""
    origin = typing.get_origin(kind)
    if origin in {types.UnionType, typing.Union}:
        inner = [k for k in typing.get_args(kind) if k is not type(None)]
        yield from fields(path, inner[0]) if len(inner) == 1 else (path,)
    elif origin is tuple:
        of = typing.get_args(kind)[0]
        of = typing.get_origin(of) or of
        if isinstance(of, type) and issubclass(of, msgspec.Struct):
            yield f"{path}[]"
            yield from fields(f"{path}[]", of)
        else:
            yield path
    elif origin is dict:
        yield f"{path}{{}}"
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            yield from fields(f"{path}.{field.encode_name}", field.type)
    else:
        yield path


EVERY = {field: section for section, kind in SECTIONS.items() for field in fields(section, kind)}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_is_classified(section: str) -> None:
    new = [f for f, s in EVERY.items() if s == section and not is_classified(f)]

    assert not new, f"add a row for each to pipedoctor/diff/fields.json: {new}"


def test_no_row_is_about_nothing() -> None:
    def known(field: str) -> bool:
        return any(one == field or one.startswith((f"{field}.", f"{field}[")) for one in EVERY)

    generic = [row for row in read_field_table().values() if row.field == _generic(row.field)]

    assert [row.field for row in generic if not known(row.field)] == []


def _generic(field: str) -> str:
    before, bracket, _ = field.partition("[")
    return field if not bracket or "[]" in field else before


def test_rows_lead_to_fields_that_exist() -> None:
    for row in read_field_table().values():
        for name in (*row.key, *row.tie, row.show, row.lead):
            if name:
                stem = row.field.partition("[")[0] + "[]" if "[" in row.field else row.field
                assert {f"{row.field}.{name}", f"{stem}.{name}"} & {
                    *EVERY,
                    *read_field_table(),
                }, row
        if row.of:
            within = row.field.rpartition("]")[0] + f"].{row.of}"
            absolute = row.of.replace("{}", "").partition("[")[0]
            assert within in read_field_table() or any(f.startswith(absolute) for f in EVERY), row


def test_a_field_has_one_row() -> None:
    assert find_meaning("shm.size").unit == "bytes"
    assert find_meaning("nobody.knows") == find_meaning("nobody.knows", "nobody.knows.it")
    assert find_meaning("packages.entries[].version", "packages.entries[torch].version").of


def test_what_a_newer_version_records_is_shown(diff: Compare) -> None:
    old, new = recorded(machine()), recorded(machine())
    for record, value in ((old, 1), (new, 2)):
        known = record["facts"]["known"]
        known["shm"]["brand_new"] = value
        known["quantum"] = {"qubits": [value], "deep": {"er": f"/home/anna/{value}"}}

    found = {one.field: [v.shown for v in one.values] for one in diff(old, new).differences}

    assert found == {
        "shm.brand_new": ["1", "2"],
        "quantum.qubits": ["1", "2"],
        "quantum.deep.er": ["/home/anna/1", "/home/anna/2"],
    }


def test_what_an_older_version_did_not_record_is_unknown(diff: Compare) -> None:
    old, new = recorded(machine()), recorded(machine())
    del old["facts"]["known"]["limits"]["pid_max"]
    del old["facts"]["known"]["site"]
    new["facts"]["known"]["limits"]["pid_max"] = 4

    said = diff(old, new)

    assert said.differences == ()
    assert [(gap.what, gap.side) for gap in said.unknown if gap.what == "site"] == [("site", 0)]
