"""One of the things that are compared: a report, a text, a record, this machine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from pipedoctor.collect.environment.environment_records import RecordedRequirement
from pipedoctor.diff.required_packages import build_known_facts
from pipedoctor.facts import SECTIONS, Facts, Interpreter, Site
from pipedoctor.report.json import ReportRecord, decode_report, read_report
from pipedoctor.report.model import Report

NOT_IN_TEXT = "not in this text"
"""What is unknown in a text is unknown for this reason; its readers load slowly."""

SideOrigin = Literal["report", "text", "record", "here", "kept"]


class DiffSide(msgspec.Struct, frozen=True, kw_only=True):
    """What one side says of itself, before anything is judged or redacted."""

    name: str
    """``good.json``: how the output calls it."""
    origin: SideOrigin
    facts: Facts
    raw: Mapping[str, Any] | None = None
    """`known` as the report has it; fields that are not in it are not known."""
    created: str = ""
    entries: tuple[RecordedRequirement, ...] = ()
    """Of a file that records an environment."""

    @property
    def is_partial(self) -> bool:
        """Does it never tell all there is?"""
        return self.origin in {"text", "record"}


def read_report_side(name: str, data: bytes, *, origin: SideOrigin = "report") -> DiffSide:
    """Read a report, JSON or HTML, or the text of a collector; raises MalformedRecordError."""
    data = decode_report(data)
    facts, created_at = read_report(data)
    plain = data[:4096].lstrip().startswith(b"{")
    text = NOT_IN_TEXT in facts.unknown.values()
    raw: Mapping[str, Any] | None = None
    if text:
        raw, origin = drop_default_values(facts), "text"
    elif plain:
        raw = msgspec.json.decode(data, type=ReportRecord).facts.known
    created = "" if text and not plain else created_at
    return DiffSide(name=name, origin=origin, facts=facts, raw=raw, created=created)


def build_record_side(name: str, entries: Iterable[RecordedRequirement]) -> DiffSide:
    """A file that names packages."""
    unknown = dict.fromkeys(SECTIONS, "a requirements file lists packages only")
    return DiffSide(
        name=name,
        origin="record",
        facts=Facts(unknown=unknown),
        entries=tuple(entries),
    )


def drop_default_values(facts: Facts) -> dict[str, Any]:
    """Facts without the fields at their default: those were not in the text."""
    record = facts.to_record()["known"]
    return {
        section: _drop_default_fields(kind, record[section])
        for section, kind in SECTIONS.items()
        if section in record
    }


_CERTAIN_FIELDS = {"torch": "known_backend"}
"""Sections whose empty fields say something where this field is true."""


def _drop_default_fields(kind: type[msgspec.Struct], values: Mapping[str, Any]) -> dict[str, Any]:
    sure = bool(values.get(_CERTAIN_FIELDS.get(getattr(kind, "section", ""), "")))
    default = {field.encode_name: field.default for field in msgspec.structs.fields(kind)}
    return {
        name: value
        for name, value in values.items()
        if value not in (default[name], None, [], {}, ()) or (sure and name in {"cuda", "hip"})
    }


def select_known_facts(
    side: DiffSide,
    report: Report,
    values: Mapping[str, str],
    redact: Callable[[str], str],
) -> dict[str, Any]:
    """
    Its facts as they were judged, redacted, without what it does not know.

    `values` are the markers of a machine, for records whose lines depend on them.
    """
    if side.origin == "record":
        return build_known_facts(side.entries, values)
    facts = report.facts.known
    if side.raw is None:
        return facts
    return cast("dict[str, Any]", _restrict_to_raw(side.raw, facts, redact))


def _restrict_to_raw(raw: Any, judged_value: Any, redact: Callable[[str], str]) -> Any:
    """`judged_value`, cut to the shape of `raw`; what only `raw` has, redacted by itself."""
    if raw == judged_value:
        return judged_value
    if isinstance(raw, dict) and isinstance(judged_value, dict):
        mine, yours = cast("dict[str, Any]", raw), cast("dict[str, Any]", judged_value)
        return {
            name: _redact_texts(value, redact)
            if name not in yours
            else _restrict_to_raw(value, yours[name], redact)
            if isinstance(value, (dict, list, tuple))
            else yours[name]
            for name, value in mine.items()
        }
    if isinstance(raw, (list, tuple)) and isinstance(judged_value, (list, tuple)):
        rows, others = cast("list[Any]", raw), cast("list[Any]", judged_value)
        if len(rows) == len(others):
            pairs = zip(rows, others, strict=True)
            return [_restrict_to_raw(row, other, redact) for row, other in pairs]
    return cast("Any", judged_value)


def _redact_texts(value: Any, redact: Callable[[str], str]) -> Any:
    """What this version does not know of, text by text."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _redact_texts(item, redact) for name, item in items}
    if isinstance(value, (list, tuple)):
        return [_redact_texts(item, redact) for item in cast("list[Any]", value)]
    return value


def find_markers(sides: Sequence[DiffSide]) -> dict[str, str]:
    """What decides about lines of records: the first interpreter that is known."""
    from pipedoctor.collect.environment.requirements import (  # noqa: PLC0415  (only for records)
        build_marker_values as of,
    )

    for side in sides:
        there, site = side.facts.get(Interpreter), side.facts.get(Site)
        if there is not None and there.version:
            system = site.system if site is not None else ""
            return {**of(there), **_PLATFORM_MARKERS.get(system, {})}
    return {}


_PLATFORM_MARKERS: Mapping[str, dict[str, str]] = {
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
