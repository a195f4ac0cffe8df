"""Find the entries of lists that mean the same thing, whatever their order."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from pipedoctor.diff.alike import alike, plain
from pipedoctor.diff.meaning import Meaning
from pipedoctor.diff.unknown import MISSING, UNKNOWN

Entry = Mapping[str, Any]

_IN_ORDER = "packages.entries[]"
"""Of copies of a package the first is imported, so their order counts."""
_MANY = 200
"""Names left over on one side that are compared with each other in pairs."""


def aligned(
    row: Meaning, lists: Sequence[object], whole: Sequence[bool]
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """
    Each entry by its name, with what every side has of it.

    What a side lacks is missing there if its list is `whole`, else unknown.
    """
    several = _several(row, lists)
    sides = [_named(row, entries, several) for entries in lists]
    _match_aliases(sides)
    for name in sorted({name for side in sides if side for name in side}):
        yield (
            name,
            tuple(
                UNKNOWN
                if side is None
                else side.get(name, MISSING if full else UNKNOWN)
                for side, full in zip(sides, whole, strict=True)
            ),
        )


def _rows(entries: object) -> list[Entry]:
    rows = cast("list[object]", entries) if isinstance(entries, (list, tuple)) else []
    return [cast("Entry", row) for row in rows if isinstance(row, dict)]


def _several(row: Meaning, lists: Sequence[object]) -> frozenset[str]:
    """Names that one side gives to several entries, though more tells them apart."""
    if not row.tie:
        return frozenset()
    counts = (Counter(_name(row.key, e) for e in _rows(entries)) for entries in lists)
    return frozenset(n for count in counts for n, number in count.items() if number > 1)


def _named(
    row: Meaning, entries: object, several: Collection[str]
) -> dict[str, Entry] | None:
    """Entries by their keys; those of equal keys are numbered. None: unknown."""
    if not isinstance(entries, (list, tuple)):
        return None
    groups: dict[str, list[Entry]] = {}
    for entry in _rows(cast("object", entries)):
        name = _name(row.key, entry)
        if name in several:
            name = _name((*row.key, *row.tie), entry)
        groups.setdefault(name, []).append(entry)
    found: dict[str, Entry] = {}
    for name, group in groups.items():
        if len(group) > 1 and row.field != _IN_ORDER:
            group.sort(key=_text)
        for number, entry in enumerate(group, 1):
            found[name if number == 1 else f"{name} #{number}"] = entry
    return found


def _name(key: Sequence[str], entry: Entry) -> str:
    """``numpy``, ``tmp (TMPDIR)``: from the fields of the key that say anything."""
    only = entry.get(key[0]) if len(key) == 1 else None
    if isinstance(only, str):  # thousands of packages
        return plain(only)
    words = [
        "in use" if value is True else plain(str(value))
        for value in (entry.get(field) for field in key)
        if isinstance(value, (str, int)) and value != "" and value is not False
    ]
    first, rest = (words[0], words[1:]) if words else ("", [])
    return f"{first} ({', '.join(rest)})" if rest else first


def _text(entry: Entry) -> str:
    return msgspec.json.encode(entry, order="sorted", enc_hook=str).decode()


def _match_aliases(sides: list[dict[str, Entry] | None]) -> None:
    """Give an entry whose name holds an alias the name that another side has."""
    told = [side for side in sides if side]
    for mine in told:
        for name in [name for name in mine if "<" in name]:
            for other in told:
                if other is mine or name in other or len(other) > _MANY:
                    continue
                fit = next((n for n in other if n not in mine and alike(n, name)), None)
                if fit is not None:
                    mine[fit] = mine.pop(name)
                    break
