"""Values side by side, in words: sizes in units, of lists only what is not shared."""

from collections.abc import Sequence
from typing import Any, cast

from pipedoctor.diff.alike import canonical
from pipedoctor.diff.compare import Found
from pipedoctor.diff.meaning import Meaning, meaning
from pipedoctor.diff.model import Value
from pipedoctor.diff.unknown import MISSING, UNKNOWN
from pipedoctor.diff.wanted import Wanted
from pipedoctor.report.words import clean
from pipedoctor.units import human, seconds

LONGEST = 160
_MOST = 6
_GHZ = 1e9


def values(found: Found) -> tuple[Value, ...]:
    """What every side has of a field."""
    lists = [
        cast("list[object]", value)
        for value in found.values
        if isinstance(value, (list, tuple))
    ]
    common = _common(lists) if len(lists) > 1 else set[str]()
    return tuple(_value(value, found, common) for value in found.values)


def _value(value: object, found: Found, common: set[str]) -> Value:
    if value is UNKNOWN:
        return Value(state="unknown", shown="unknown there")
    if value is MISSING:
        return Value(state="missing", shown="not there")
    row = found.row
    if isinstance(value, (list, tuple)):
        shown = _own(cast("list[object]", value), common)
    else:
        shown = _plain(value, row, found)
    if isinstance(value, Wanted):
        value = str(value)
    return Value(state="known", value=_json(value), shown=_cut(shown))


def _json(value: Any) -> Any:
    """The same, with what is no JSON said in words."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _json(item) for name, item in items}
    return str(value) if isinstance(value, Wanted) else value


def _plain(value: object, row: Meaning, found: Found) -> str:
    if value is None:
        return row.null or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return _table(cast("dict[str, object]", value), row, found)
    if isinstance(value, (int, float)):
        return _number(value, row)
    if isinstance(value, Wanted):
        return f"wants {value}" if str(value) != "any" else "wants any version"
    return str(value) or "none"


def _number(value: int | float, row: Meaning) -> str:  # noqa: PYI041  (both come)
    if row.unit == "bytes":
        return human(int(value))
    if row.unit == "seconds":
        return seconds(value)
    if row.unit == "hertz":
        return f"{value / _GHZ:.2f} GHz"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _table(value: dict[str, object], row: Meaning, found: Found) -> str:
    """Of an entry of a list the field that stands for it, else all that it says."""
    if row.show:
        inner = meaning(f"{row.field}.{row.show}")
        said = value.get(row.show)
        return _plain(said, inner, found) if said not in (None, "") else "there"
    return ", ".join(f"{name} {item}" for name, item in value.items())


def _common(lists: Sequence[Sequence[object]]) -> set[str]:
    texts = [set(map(canonical, entries)) for entries in lists]
    return set[str].intersection(*texts)


def _own(entries: Sequence[object], common: set[str]) -> str:
    """Entries that not all sides have."""
    own = [entry for entry in entries if canonical(entry) not in common]
    if any(isinstance(entry, dict) for entry in own):
        return f"{len(own)} of its own" if common else f"{len(own)}"
    if not own:
        return "none of these" if common else "none"
    more = f" and {len(own) - _MOST} more" if len(own) > _MOST else ""
    return ", ".join(map(str, own[:_MOST])) + more


def _cut(text: str) -> str:
    text = clean(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
