"""What each field of a report means to a comparison: one table, ``fields.json``."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

FieldKind = Literal["version", "limit", "setting", "noise", "echo"]
"""``echo``: it follows from another field, or identifies an entry of a list."""

ITEM_MARK, KEY_MARK = "[]", "{}"
"""What stands in the name of a field for an entry of a list, of a dictionary."""


class FieldMeaning(msgspec.Struct, frozen=True, kw_only=True, rename={"only_if": "if"}, gc=False):
    """How a field is compared; nothing said: an ordinary setting."""

    field: str
    kind: FieldKind = "setting"
    title: str = ""
    """In words; ``{}`` stands for the entry that it belongs to."""
    key: tuple[str, ...] = ()
    """Of a list: the fields that tell its entries apart."""
    tie: tuple[str, ...] = ()
    """Of a list: what else tells apart those of equal keys on one side."""
    open: bool = False
    """Of a list: what is not in it was not looked at."""
    show: str = ""
    """Of a list or a structure: the field that stands for all of it."""
    lead: str = ""
    """Of a list: entries where this field is false are noise."""
    full: bool = False
    """A text that lists any entry lists them all."""
    whole: bool = False
    """Nothing below is compared on its own."""
    blank: bool = False
    """An empty text, or list, means that nobody knows."""
    null: str = ""
    """What a missing value means: ``unlimited``; empty: nobody knows."""
    only_if: str = ""
    """The field beside it that has to be true, or nobody knows."""
    unless: str = ""
    """The field beside it that says why nobody knows."""
    of: str = ""
    """The field that it follows from."""
    near: float = 0.0
    """Relative difference that is chance."""
    unit: Literal["", "bytes", "seconds", "hertz"] = ""
    worth: str = ""
    """Its component in the table of culprits."""


class _FieldFile(msgspec.Struct, frozen=True):
    fields: tuple[FieldMeaning, ...]


@functools.cache
def read_field_table() -> Mapping[str, FieldMeaning]:
    """Every row, by the name of its field: ``gpu.devices[].name``."""
    data = Path(__file__).with_name("fields.json").read_bytes()
    rows = msgspec.json.decode(data, type=_FieldFile).fields
    return {row.field: row for row in rows}


def find_meaning(generic: str, field: str = "") -> FieldMeaning:
    """
    The row of this very field, or of its kind: ``packages.entries[].version``.

    One that nobody has classified is a setting, and shown.
    """
    rows = read_field_table()
    return rows.get(field) or rows.get(generic) or FieldMeaning(field=generic)


def is_classified(generic: str) -> bool:
    """Does the table say anything of this field, or of what it is a part of?"""
    rows = read_field_table()
    parents = generic
    while parents:
        row = rows.get(parents)
        if row is not None:
            return row.whole or parents == generic
        parents = _find_parent(parents)
    return False


def _find_parent(generic: str) -> str:
    for ending in (ITEM_MARK, KEY_MARK):
        if generic.endswith(ending):
            return generic.removesuffix(ending)
    return generic.rpartition(".")[0]
