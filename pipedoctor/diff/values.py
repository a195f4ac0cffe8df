"""Values side by side, in words: sizes in units, of lists only what is not shared."""

from collections.abc import Sequence
from typing import Any, cast

from pipedoctor.diff.absent import MISSING, UNKNOWN
from pipedoctor.diff.compare import FactDifference
from pipedoctor.diff.equality import to_canonical
from pipedoctor.diff.field_meanings import FieldMeaning, find_meaning
from pipedoctor.diff.model import SideValue
from pipedoctor.diff.required_packages import RequestedVersion
from pipedoctor.report.sentences import truncate_text
from pipedoctor.units import format_seconds, format_size

MAX_TEXT = 160
_MAX_ITEMS = 6
_GHZ = 1e9


def format_values(difference: FactDifference) -> tuple[SideValue, ...]:
    """What every side has of a field."""
    lists = [
        cast("list[object]", value)
        for value in difference.values
        if isinstance(value, (list, tuple))
    ]
    common = _find_common(lists) if len(lists) > 1 else set[str]()
    return tuple(_format_value(value, difference, common) for value in difference.values)


def _format_value(value: object, difference: FactDifference, common: set[str]) -> SideValue:
    if value is UNKNOWN:
        return SideValue(state="unknown", shown="unknown")
    if value is MISSING:
        return SideValue(state="missing", shown="missing")
    row = difference.row
    if isinstance(value, (list, tuple)):
        shown = _list_own(cast("list[object]", value), common)
    else:
        shown = _format_plain(value, row, difference)
    if isinstance(value, RequestedVersion):
        value = str(value)
    return SideValue(state="known", value=_to_json(value), shown=truncate_text(shown, MAX_TEXT))


def _to_json(value: Any) -> Any:
    """The same, with what is no JSON said in words."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _to_json(item) for name, item in items}
    return str(value) if isinstance(value, RequestedVersion) else value


def _format_plain(value: object, row: FieldMeaning, difference: FactDifference) -> str:
    if value is None:
        return row.null or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return _format_table(cast("dict[str, object]", value), row, difference)
    if isinstance(value, (int, float)):
        return _format_number(value, row)
    if isinstance(value, RequestedVersion):
        return f"requires {value}" if str(value) != "any" else "requires any version"
    return str(value) or "none"


def _format_number(value: int | float, row: FieldMeaning) -> str:  # noqa: PYI041  (both come)
    if row.unit == "bytes":
        return format_size(int(value))
    if row.unit == "seconds":
        return format_seconds(value)
    if row.unit == "hertz":
        return f"{value / _GHZ:.2f} GHz"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _format_table(value: dict[str, object], row: FieldMeaning, difference: FactDifference) -> str:
    """Of an entry of a list the field that stands for it, else all that it says."""
    if row.show:
        inner = find_meaning(f"{row.field}.{row.show}")
        entry_value = value.get(row.show)
        return (
            _format_plain(entry_value, inner, difference)
            if entry_value not in (None, "")
            else "present"
        )
    return ", ".join(f"{name} {item}" for name, item in value.items())


def _find_common(lists: Sequence[Sequence[object]]) -> set[str]:
    texts = [set(map(to_canonical, entries)) for entries in lists]
    return set[str].intersection(*texts)


def _list_own(entries: Sequence[object], common: set[str]) -> str:
    """Entries that not all sides have."""
    own = [entry for entry in entries if to_canonical(entry) not in common]
    if any(isinstance(entry, dict) for entry in own):
        return f"{len(own)} unique to it" if common else f"{len(own)}"
    if not own:
        return "none of the others" if common else "none"
    more = f" and {len(own) - _MAX_ITEMS} more" if len(own) > _MAX_ITEMS else ""
    return ", ".join(map(str, own[:_MAX_ITEMS])) + more
