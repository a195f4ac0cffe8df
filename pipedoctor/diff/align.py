"""Find the entries of lists that mean the same thing, whatever their order."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from pipedoctor.diff.absent import MISSING, UNKNOWN
from pipedoctor.diff.equality import is_equivalent, replace_names
from pipedoctor.diff.field_meanings import FieldMeaning

ListEntry = Mapping[str, Any]

_ORDERED_LIST = "packages.entries[]"
"""Of copies of a package the first is imported, so their order counts."""
_MAX_PAIRED = 200
"""Names left over on one side that are compared with each other in pairs."""


def align_lists(
    row: FieldMeaning, lists: Sequence[object], whole: Sequence[bool]
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """
    Each entry by its name, with what every side has of it.

    What a side lacks is missing there if its list is `whole`, else unknown.
    """
    several = _find_ambiguous(row, lists)
    sides = [_name_entries(row, entries, several) for entries in lists]
    _match_aliases(sides)
    for name in sorted({name for side in sides if side for name in side}):
        yield (
            name,
            tuple(
                UNKNOWN if side is None else side.get(name, MISSING if full else UNKNOWN)
                for side, full in zip(sides, whole, strict=True)
            ),
        )


def _select_entries(entries: object) -> list[ListEntry]:
    rows = cast("list[object]", entries) if isinstance(entries, (list, tuple)) else []
    return [cast("ListEntry", row) for row in rows if isinstance(row, dict)]


def _find_ambiguous(row: FieldMeaning, lists: Sequence[object]) -> frozenset[str]:
    """Names that one side gives to several entries, though more tells them apart."""
    if not row.tie:
        return frozenset()
    counts = (
        Counter(_format_key(row.key, e) for e in _select_entries(entries)) for entries in lists
    )
    return frozenset(n for count in counts for n, number in count.items() if number > 1)


def _name_entries(
    row: FieldMeaning, entries: object, ambiguous: Collection[str]
) -> dict[str, ListEntry] | None:
    """Entries by their keys; those of equal keys are numbered. None: unknown."""
    if not isinstance(entries, (list, tuple)):
        return None
    groups: dict[str, list[ListEntry]] = {}
    for entry in _select_entries(cast("object", entries)):
        name = _format_key(row.key, entry)
        if name in ambiguous:
            name = _format_key((*row.key, *row.tie), entry)
        groups.setdefault(name, []).append(entry)
    entries_by_key: dict[str, ListEntry] = {}
    for name, group in groups.items():
        if len(group) > 1 and row.field != _ORDERED_LIST:
            group.sort(key=_encode_entry)
        for number, entry in enumerate(group, 1):
            entries_by_key[name if number == 1 else f"{name} #{number}"] = entry
    return entries_by_key


def _format_key(key: Sequence[str], entry: ListEntry) -> str:
    """``numpy``, ``tmp (TMPDIR)``: from the fields of the key that say anything."""
    only = entry.get(key[0]) if len(key) == 1 else None
    if isinstance(only, str):  # thousands of packages
        return replace_names(only)
    words = [
        "in use" if value is True else replace_names(str(value))
        for value in (entry.get(field) for field in key)
        if isinstance(value, (str, int)) and value != "" and value is not False
    ]
    first, rest = (words[0], words[1:]) if words else ("", [])
    return f"{first} ({', '.join(rest)})" if rest else first


def _encode_entry(entry: ListEntry) -> str:
    return msgspec.json.encode(entry, order="sorted", enc_hook=str).decode()


def _match_aliases(sides: list[dict[str, ListEntry] | None]) -> None:
    """Give an entry whose name holds an alias the name that another side has."""
    nonempty = [side for side in sides if side]
    for mine in nonempty:
        for name in [name for name in mine if "<" in name]:
            for other in nonempty:
                if other is mine or name in other or len(other) > _MAX_PAIRED:
                    continue
                fit = next((n for n in other if n not in mine and is_equivalent(n, name)), None)
                if fit is not None:
                    mine[fit] = mine.pop(name)
                    break
