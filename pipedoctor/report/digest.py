"""Facts as people read them: names and values, lists of things as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pipedoctor.report import words

MOST = 100
"""Rows of one table; the record in the page holds the rest."""
_ITEMS = 60
_LONGEST = 2000


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A list of things of one kind: what is empty in all of them has no column."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """One section of the facts; what is empty or not known in it is left out."""

    name: str
    values: tuple[tuple[str, str], ...]
    sheets: tuple[Sheet, ...]


def sections(known: Mapping[str, Mapping[str, Any]]) -> list[Section]:
    """Every section of the facts of a report."""
    return [_section(name, values) for name, values in known.items()]


def _section(name: str, values: Mapping[str, Any]) -> Section:
    flat = dict(_flat("", values))
    sheets = {key: value for key, value in flat.items() if _is_sheet(value)}
    plain = [
        (words.clean(key), _said(key, value))
        for key, value in flat.items()
        if key not in sheets
    ]
    tables = tuple(_sheet(key, value) for key, value in sheets.items())
    return Section(name=name, values=tuple(plain), sheets=tables)


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{name}.", cast("Mapping[str, Any]", value))
        elif _tells(value):
            yield f"{prefix}{name}", value


def _tells(value: Any) -> bool:
    return value is not None and value != "" and value not in ([], (), {})


def _is_sheet(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    return all(isinstance(item, Mapping) for item in cast("Sequence[Any]", value))


def _sheet(name: str, things: Sequence[Mapping[str, Any]]) -> Sheet:
    shown = [dict(_flat("", thing)) for thing in things[:MOST]]
    columns = tuple(dict.fromkeys(key for row in shown for key in row))
    rows = [
        tuple(_said(key, row[key]) if key in row else "" for key in columns)
        for row in shown
    ]
    left = len(things) - len(rows)
    return Sheet(name=name, columns=columns, rows=tuple(rows), left=left)


def _said(name: str, value: Any) -> str:
    return words.said(name, value, most=_ITEMS, longest=_LONGEST)
