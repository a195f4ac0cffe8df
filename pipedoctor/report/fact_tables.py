"""Facts as people read them: names and values, lists of things as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pipedoctor.report import sentences

MAX_ROWS = 100
"""Rows of one table; the record in the page holds the rest."""
_MAX_ITEMS = 60
_MAX_TEXT = 2000


@dataclass(frozen=True, kw_only=True)
class FactTable:
    """A list of things of one kind: what is empty in all of them has no column."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    omitted_rows: int


@dataclass(frozen=True, kw_only=True)
class FactSection:
    """One section of the facts; what is empty or not known in it is left out."""

    name: str
    values: tuple[tuple[str, str], ...]
    tables: tuple[FactTable, ...]


def build_sections(facts: Mapping[str, Mapping[str, Any]]) -> list[FactSection]:
    """Every section of the facts of a report."""
    return [_build_section(name, values) for name, values in facts.items()]


def _build_section(name: str, values: Mapping[str, Any]) -> FactSection:
    flat = dict(_flatten_fields("", values))
    sheets = {key: value for key, value in flat.items() if _is_table(value)}
    plain = [
        (sentences.clean_text(key), _format_field(key, value))
        for key, value in flat.items()
        if key not in sheets
    ]
    tables = tuple(_build_table(key, value) for key, value in sheets.items())
    return FactSection(name=name, values=tuple(plain), tables=tables)


def _flatten_fields(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten_fields(f"{prefix}{name}.", cast("Mapping[str, Any]", value))
        elif _has_value(value):
            yield f"{prefix}{name}", value


def _has_value(value: Any) -> bool:
    return value is not None and value != "" and value not in ([], (), {})


def _is_table(value: Any) -> bool:
    if not isinstance(value, (list, tuple)):
        return False
    return all(isinstance(item, Mapping) for item in cast("Sequence[Any]", value))


def _build_table(name: str, things: Sequence[Mapping[str, Any]]) -> FactTable:
    shown = [dict(_flatten_fields("", thing)) for thing in things[:MAX_ROWS]]
    columns = tuple(dict.fromkeys(key for row in shown for key in row))
    rows = [
        tuple(_format_field(key, row[key]) if key in row else "" for key in columns)
        for row in shown
    ]
    left = len(things) - len(rows)
    return FactTable(name=name, columns=columns, rows=tuple(rows), omitted_rows=left)


def _format_field(name: str, value: Any) -> str:
    return sentences.format_value(name, value, most=_MAX_ITEMS, longest=_MAX_TEXT)
