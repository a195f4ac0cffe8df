"""Walk through the facts of several sides at once and yield what differs."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from pipedoctor.diff.align import aligned
from pipedoctor.diff.alike import alike
from pipedoctor.diff.meaning import ITEM, NAMED, Meaning, meaning
from pipedoctor.diff.meaning import table as fields
from pipedoctor.diff.unknown import MISSING, UNKNOWN

Values = tuple[object, ...]
_DEEPEST = 24


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A field that is not the same everywhere."""

    field: str
    """``packages.entries[numpy].version``."""
    row: Meaning
    entry: str = ""
    """The entry of a list that it belongs to: ``numpy``."""
    within: str = ""
    """The same with its list: ``packages.entries[numpy]``."""
    values: Values
    quiet: bool = False
    """Of an entry that decides nothing."""


class Comparison:
    """Compares; afterwards `compared` counts the facts that two sides knew."""

    def __init__(self, partial: Sequence[bool]) -> None:
        self._partial = partial
        """Sides that never tell all of anything: texts and records."""
        self.compared = 0

    def sections(self, sides: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
        """Everything that differs, section by section."""
        for name in dict.fromkeys(name for side in sides for name in side):
            values = tuple(side.get(name, UNKNOWN) for side in sides)
            yield from self._node(_At(name, name), values)

    def _node(self, at: "_At", values: Values) -> Iterator[Found]:
        known = [value for value in values if value is not UNKNOWN]
        if len(known) < 2:  # noqa: PLR2004  (it takes two to differ)
            return
        if known.count(known[0]) == len(known):
            self.compared += _size(known[0])
            return
        row = meaning(at.generic, at.field)
        if row.whole or at.depth > _DEEPEST:
            yield from self._leaf(at, row, values)
        elif all(isinstance(value, dict) for value in known):
            yield from self._table(at, values)
        elif _entries(known) and meaning(at.generic + ITEM).key:
            yield from self._list(at, values)
        elif meaning(at.generic + ITEM).whole:
            yield from self._leaf(at, meaning(at.generic + ITEM), values)
        else:
            yield from self._leaf(at, row, values)

    def _leaf(self, at: "_At", row: Meaning, values: Values) -> Iterator[Found]:
        known = [value for value in values if value is not UNKNOWN]
        self.compared += 1
        if not all(alike(value, known[0], row.near) for value in known[1:]):
            yield Found(
                field=at.field,
                row=row,
                entry=at.entry,
                within=at.within,
                values=values,
                quiet=at.quiet,
            )

    def _table(self, at: "_At", values: Values) -> Iterator[Found]:
        tables = [
            cast("dict[str, Any]", value) if isinstance(value, dict) else None
            for value in values
        ]
        named = at.generic + NAMED in fields()
        for name in dict.fromkeys(itertools.chain(*(t or () for t in tables))):
            if self._equal(name, tables):
                continue
            inner = at.named(name) if named else at.field_of(name)
            row = meaning(inner.generic, inner.field)
            told = tuple(
                UNKNOWN
                if t is None
                else self._absent(number)
                if named and name not in t
                else said(row, name, t)
                for number, t in enumerate(tables)
            )
            yield from self._node(inner, told)

    def _equal(self, name: str, tables: Sequence[dict[str, Any] | None]) -> bool:
        """Do all sides plainly say the same? Most fields end here."""
        first = tables[0]
        if first is None or name not in first:
            return False
        value = first[name]
        for table in tables[1:]:
            if table is None or name not in table or table[name] != value:
                return False
        if value is not None and value != "":
            self.compared += _size(value)
        return True

    def _absent(self, number: int) -> object:
        return UNKNOWN if self._partial[number] else MISSING

    def _list(self, at: "_At", values: Values) -> Iterator[Found]:
        row = meaning(at.generic + ITEM)
        whole = [
            not row.open and (not partial or (row.full and bool(entries)))
            for partial, entries in zip(self._partial, values, strict=True)
        ]
        for name, entries in aligned(row, values, whole):
            inner = at.item(name, quiet=_quiet(row, entries))
            if MISSING not in entries:
                yield from self._node(inner, entries)
                continue
            if not _optional(entries):
                own = meaning(inner.generic, inner.field)
                yield from self._leaf(inner, own, entries)
            rest = tuple(UNKNOWN if e is MISSING else e for e in entries)
            yield from self._node(inner, rest)


class _At(msgspec.Struct, frozen=True):
    """Where we are."""

    field: str
    generic: str
    entry: str = ""
    within: str = ""
    quiet: bool = False
    depth: int = 0

    def field_of(self, name: str) -> "_At":
        return _At(
            f"{self.field}.{name}",
            f"{self.generic}.{name}",
            self.entry,
            self.within,
            self.quiet,
            self.depth + 1,
        )

    def named(self, name: str) -> "_At":
        """A value of a dictionary, which is called by its key."""
        return msgspec.structs.replace(
            self,
            field=f"{self.field}[{name}]",
            generic=self.generic + NAMED,
            entry=name,
            depth=self.depth + 1,
        )

    def item(self, name: str, *, quiet: bool) -> "_At":
        """An entry of a list."""
        field = f"{self.field}[{name}]"
        return _At(
            field, self.generic + ITEM, name, field, self.quiet or quiet, self.depth + 1
        )


def said(row: Meaning, name: str, table: Mapping[str, Any]) -> object:
    """The value of a field, or that nobody knows it."""
    value = table.get(name, UNKNOWN)
    if row.only_if and table.get(row.only_if) is False:
        return UNKNOWN
    if value is None:
        doubtful = not row.null or (row.unless and table.get(row.unless))
        return UNKNOWN if doubtful else None
    return UNKNOWN if row.blank and value in ("", [], ()) else value


def _entries(known: Sequence[object]) -> bool:
    return all(isinstance(value, (list, tuple)) for value in known)


def _quiet(row: Meaning, entries: Values) -> bool:
    """Is the entry of no consequence on every side: a library that is not chosen?"""
    return bool(row.lead) and not any(entry.get(row.lead) for entry in _there(entries))


def _optional(entries: Values) -> bool:
    """Is it named by files alone that could do without it?"""
    return all(entry.get("needed") is False for entry in _there(entries))


def _there(entries: Values) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", e) for e in entries if isinstance(e, dict)]


def _size(value: object) -> int:
    """Facts in it, roughly: an entry of a list is one."""
    if isinstance(value, dict):
        return sum(map(_size, cast("dict[str, object]", value).values()))
    return len(cast("list[object]", value)) if isinstance(value, (list, tuple)) else 1
