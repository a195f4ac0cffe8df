"""Walk through the facts of several sides at once and yield what differs."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from pipedoctor.diff.absent import MISSING, UNKNOWN
from pipedoctor.diff.align import align_lists
from pipedoctor.diff.equality import is_equivalent
from pipedoctor.diff.field_meanings import (
    ITEM_MARK,
    KEY_MARK,
    FieldMeaning,
    find_meaning,
    read_field_table,
)

SideValues = tuple[object, ...]
_MAX_DEPTH = 24


class FactDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A field that is not the same everywhere."""

    field: str
    """``packages.entries[numpy].version``."""
    row: FieldMeaning
    entry: str = ""
    """The entry of a list that it belongs to: ``numpy``."""
    within: str = ""
    """The same with its list: ``packages.entries[numpy]``."""
    values: SideValues
    quiet: bool = False
    """Of an entry that decides nothing."""


class FactComparison:
    """Compares; afterwards `compared` counts the facts that two sides knew."""

    def __init__(self, partial: Sequence[bool]) -> None:
        self._partial = partial
        """Sides that never tell all of anything: texts and records."""
        self.compared = 0

    def compare_sections(self, sides: Sequence[Mapping[str, Any]]) -> Iterator[FactDifference]:
        """Everything that differs, section by section."""
        for name in dict.fromkeys(name for side in sides for name in side):
            values = tuple(side.get(name, UNKNOWN) for side in sides)
            yield from self._compare_node(_FieldPath(name, name), values)

    def _compare_node(self, at: "_FieldPath", values: SideValues) -> Iterator[FactDifference]:
        known_values = [value for value in values if value is not UNKNOWN]
        if len(known_values) < 2:  # noqa: PLR2004  (it takes two to differ)
            return
        if known_values.count(known_values[0]) == len(known_values):
            self.compared += _count_facts(known_values[0])
            return
        row = find_meaning(at.generic, at.field)
        if row.whole or at.depth > _MAX_DEPTH:
            yield from self._compare_leaf(at, row, values)
        elif all(isinstance(value, dict) for value in known_values):
            yield from self._compare_tables(at, values)
        elif _are_lists(known_values) and find_meaning(at.generic + ITEM_MARK).key:
            yield from self._compare_lists(at, values)
        elif find_meaning(at.generic + ITEM_MARK).whole:
            yield from self._compare_leaf(at, find_meaning(at.generic + ITEM_MARK), values)
        else:
            yield from self._compare_leaf(at, row, values)

    def _compare_leaf(
        self, at: "_FieldPath", row: FieldMeaning, values: SideValues
    ) -> Iterator[FactDifference]:
        known_values = [value for value in values if value is not UNKNOWN]
        self.compared += 1
        if not all(is_equivalent(value, known_values[0], row.near) for value in known_values[1:]):
            yield FactDifference(
                field=at.field,
                row=row,
                entry=at.entry,
                within=at.within,
                values=values,
                quiet=at.quiet,
            )

    def _compare_tables(self, at: "_FieldPath", values: SideValues) -> Iterator[FactDifference]:
        tables = [
            cast("dict[str, Any]", value) if isinstance(value, dict) else None for value in values
        ]
        named = at.generic + KEY_MARK in read_field_table()
        for name in dict.fromkeys(itertools.chain(*(t or () for t in tables))):
            if self._are_equal(name, tables):
                continue
            inner = at.enter_key(name) if named else at.enter_field(name)
            row = find_meaning(inner.generic, inner.field)
            reported = tuple(
                UNKNOWN
                if t is None
                else self._choose_absent(number)
                if named and name not in t
                else read_field(row, name, t)
                for number, t in enumerate(tables)
            )
            yield from self._compare_node(inner, reported)

    def _are_equal(self, name: str, tables: Sequence[dict[str, Any] | None]) -> bool:
        """Do all sides plainly say the same? Most fields end here."""
        first = tables[0]
        if first is None or name not in first:
            return False
        value = first[name]
        for table in tables[1:]:
            if table is None or name not in table or table[name] != value:
                return False
        if value is not None and value != "":
            self.compared += _count_facts(value)
        return True

    def _choose_absent(self, number: int) -> object:
        return UNKNOWN if self._partial[number] else MISSING

    def _compare_lists(self, at: "_FieldPath", values: SideValues) -> Iterator[FactDifference]:
        row = find_meaning(at.generic + ITEM_MARK)
        whole = [
            not row.open and (not partial or (row.full and bool(entries)))
            for partial, entries in zip(self._partial, values, strict=True)
        ]
        for name, entries in align_lists(row, values, whole):
            inner = at.enter_item(name, quiet=_is_quiet(row, entries))
            if MISSING not in entries:
                yield from self._compare_node(inner, entries)
                continue
            if not _is_optional(entries):
                own = find_meaning(inner.generic, inner.field)
                yield from self._compare_leaf(inner, own, entries)
            rest = tuple(UNKNOWN if e is MISSING else e for e in entries)
            yield from self._compare_node(inner, rest)


class _FieldPath(msgspec.Struct, frozen=True):
    """Where the comparison stands: the field by its name and by its kind."""

    field: str
    generic: str
    entry: str = ""
    within: str = ""
    quiet: bool = False
    depth: int = 0

    def enter_field(self, name: str) -> "_FieldPath":
        return _FieldPath(
            f"{self.field}.{name}",
            f"{self.generic}.{name}",
            self.entry,
            self.within,
            self.quiet,
            self.depth + 1,
        )

    def enter_key(self, name: str) -> "_FieldPath":
        """A value of a dictionary, which is called by its key."""
        return msgspec.structs.replace(
            self,
            field=f"{self.field}[{name}]",
            generic=self.generic + KEY_MARK,
            entry=name,
            depth=self.depth + 1,
        )

    def enter_item(self, name: str, *, quiet: bool) -> "_FieldPath":
        """An entry of a list."""
        field = f"{self.field}[{name}]"
        return _FieldPath(
            field,
            self.generic + ITEM_MARK,
            name,
            field,
            self.quiet or quiet,
            self.depth + 1,
        )


def read_field(row: FieldMeaning, name: str, table: Mapping[str, Any]) -> object:
    """The value of a field, or that nobody knows it."""
    value = table.get(name, UNKNOWN)
    if row.only_if and table.get(row.only_if) is False:
        return UNKNOWN
    if value is None:
        doubtful = not row.null or (row.unless and table.get(row.unless))
        return UNKNOWN if doubtful else None
    return UNKNOWN if row.blank and value in ("", [], ()) else value


def _are_lists(values: Sequence[object]) -> bool:
    return all(isinstance(value, (list, tuple)) for value in values)


def _is_quiet(row: FieldMeaning, entries: SideValues) -> bool:
    """Is the entry of no consequence on every side: a library that is not chosen?"""
    return bool(row.lead) and not any(entry.get(row.lead) for entry in _select_present(entries))


def _is_optional(entries: SideValues) -> bool:
    """Is it named by files alone that could do without it?"""
    return all(entry.get("needed") is False for entry in _select_present(entries))


def _select_present(entries: SideValues) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", e) for e in entries if isinstance(e, dict)]


def _count_facts(value: object) -> int:
    """Facts in it, roughly: an entry of a list is one."""
    if isinstance(value, dict):
        return sum(map(_count_facts, cast("dict[str, object]", value).values()))
    return len(cast("list[object]", value)) if isinstance(value, (list, tuple)) else 1
