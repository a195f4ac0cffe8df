"""One of the things that are compared: a report, a text, a record, this machine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from pipedoctor.collect.records import Recorded
from pipedoctor.diff.wanted import recorded
from pipedoctor.facts import SECTIONS, Facts, Interpreter, Site
from pipedoctor.report.json import Record, read
from pipedoctor.report.model import Report

NOT_SAID = "not in this text"
"""What is unknown in a text is unknown for this reason; its readers load slowly."""

Origin = Literal["report", "text", "record", "here", "kept"]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What one side says of itself, before anything is judged or redacted."""

    name: str
    """``good.json``: how the output calls it."""
    origin: Origin
    facts: Facts
    raw: Mapping[str, Any] | None = None
    """`known` as the report has it; fields that are not in it are not known."""
    created: str = ""
    entries: tuple[Recorded, ...] = ()
    """Of a file that records an environment."""

    @property
    def partial(self) -> bool:
        """Does it never tell all there is?"""
        return self.origin in {"text", "record"}


def report(name: str, data: bytes, *, origin: Origin = "report") -> Side:
    """Read a report, JSON or HTML, or the text of a collector; raises Malformed."""
    facts, said = read(data)
    plain = data[:4096].lstrip().startswith(b"{")
    text = NOT_SAID in facts.unknown.values()
    raw: Mapping[str, Any] | None = None
    if text:
        raw, origin = told(facts), "text"
    elif plain:
        raw = msgspec.json.decode(data, type=Record).facts.known
    created = "" if text and not plain else said
    return Side(name=name, origin=origin, facts=facts, raw=raw, created=created)


def record(name: str, entries: Iterable[Recorded]) -> Side:
    """A file that names packages."""
    unknown = dict.fromkeys(SECTIONS, "a file of requirements tells of packages only")
    return Side(
        name=name,
        origin="record",
        facts=Facts(unknown=unknown),
        entries=tuple(entries),
    )


def told(facts: Facts) -> dict[str, Any]:
    """What a text says: whatever is at its default was not in it."""
    record = facts.to_record()["known"]
    return {
        section: _told(kind, record[section])
        for section, kind in SECTIONS.items()
        if section in record
    }


_SURE = {"torch": "known_backend"}
"""Sections whose empty fields say something where this field is true."""


def _told(kind: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    sure = bool(values.get(_SURE.get(getattr(kind, "section", ""), "")))
    default = {
        field.encode_name: field.default for field in msgspec.structs.fields(kind)
    }
    return {
        name: value
        for name, value in values.items()
        if value not in (default[name], None, [], {}, ())
        or (sure and name in {"cuda", "hip"})
    }


def shown(
    side: Side, judged: Report, values: Mapping[str, str], redact: Callable[[str], str]
) -> dict[str, Any]:
    """
    Its facts as they were judged, redacted, without what it does not know.

    `values` are the markers of a machine, for records whose lines depend on them.
    """
    if side.origin == "record":
        return recorded(side.entries, values)
    known = judged.facts.known
    if side.raw is None:
        return known
    return cast("dict[str, Any]", _as_in(side.raw, known, redact))


def _as_in(raw: Any, known: Any, redact: Callable[[str], str]) -> Any:
    """`known`, cut to the shape of `raw`; what only `raw` has, redacted by itself."""
    if raw == known:
        return known
    if isinstance(raw, dict) and isinstance(known, dict):
        mine, yours = cast("dict[str, Any]", raw), cast("dict[str, Any]", known)
        return {
            name: _scrubbed(value, redact)
            if name not in yours
            else _as_in(value, yours[name], redact)
            if isinstance(value, (dict, list, tuple))
            else yours[name]
            for name, value in mine.items()
        }
    if isinstance(raw, (list, tuple)) and isinstance(known, (list, tuple)):
        rows, others = cast("list[Any]", raw), cast("list[Any]", known)
        if len(rows) == len(others):
            pairs = zip(rows, others, strict=True)
            return [_as_in(row, other, redact) for row, other in pairs]
    return cast("Any", known)


def _scrubbed(value: Any, redact: Callable[[str], str]) -> Any:
    """What this version does not know of, text by text."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _scrubbed(item, redact) for name, item in items}
    if isinstance(value, (list, tuple)):
        return [_scrubbed(item, redact) for item in cast("list[Any]", value)]
    return value


def markers(sides: Sequence[Side]) -> dict[str, str]:
    """What decides about lines of records: the first interpreter that is known."""
    from pipedoctor.collect.requirements import (  # noqa: PLC0415  (only for records)
        markers as of,
    )

    for side in sides:
        there, site = side.facts.get(Interpreter), side.facts.get(Site)
        if there is not None and there.version:
            system = site.system if site is not None else ""
            return {**of(there), **_PLATFORMS.get(system, {})}
    return {}


_PLATFORMS: Mapping[str, dict[str, str]] = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "darwin": {
        "sys_platform": "darwin",
        "platform_system": "Darwin",
        "os_name": "posix",
    },
    "windows": {
        "sys_platform": "win32",
        "platform_system": "Windows",
        "os_name": "nt",
    },
}
