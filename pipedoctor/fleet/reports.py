"""One report of a node: from bytes to the narrow part of it that a fleet compares."""

import datetime as dt
from typing import Any

import msgspec

SCHEMA = "pipedoctor.report/1"
MAX_REPORT_BYTES = 32 << 20
"""Bytes of the largest report that is read; ours have some hundred thousand."""
MAX_INTEGER = 1 << 63
"""JSON of other programs ends here, and so do sizes of any machine."""
_MAX_TEXT = 60


class UnreadableReportError(Exception):
    """A file is no report of ours; the message says why, in words."""


class NodeFinding(msgspec.Struct, frozen=True, gc=False):
    """A finding of a check on one node, as its report has it."""

    code: str
    name: str
    severity: str
    title: str = ""


class _FindingFields(msgspec.Struct, gc=False):
    code: str
    name: str
    severity: str
    title: str = ""


class _FactsFields(msgspec.Struct, gc=False):
    known: dict[str, msgspec.Raw]
    unknown: dict[str, str] = {}


class ReportEnvelope(msgspec.Struct, gc=False):
    """What is decoded of a report at once; sections stay bytes until they are asked."""

    facts: _FactsFields
    schema: str = ""
    created: str = ""
    findings: tuple[_FindingFields, ...] = ()

    @property
    def instant(self) -> float:
        """When it was created, in seconds since 1970; raises UnreadableReportError."""
        try:
            moment = msgspec.convert(self.created, dt.datetime)
        except msgspec.ValidationError:
            message = f"`created` is not a valid time: {_shorten_text(self.created)}"
            raise UnreadableReportError(message) from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.timezone.utc)
        return moment.timestamp()


class _SchemaField(msgspec.Struct):
    schema: Any = None


_DECODER = msgspec.json.Decoder(ReportEnvelope)
_SCHEMA = msgspec.json.Decoder(_SchemaField)


def decode_envelope(data: bytes) -> ReportEnvelope:
    """Decode a report as far as its sections; raises UnreadableReportError."""
    if not data.isascii():
        _check_utf8(data)
    try:
        found = _DECODER.decode(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise UnreadableReportError(_describe_failure(data, error)) from None
    if found.schema != SCHEMA:
        raise UnreadableReportError(_describe_schema(found.schema))
    return found


def describe_wrong_types(error: msgspec.ValidationError, section: str = "") -> str:
    """``facts of wrong types: shm: expected int, got str - at $.size``."""
    where = f"{section}: " if section else ""
    text = str(error).replace("`", "")
    return f"facts of wrong types: {where}{text[:1].lower()}{text[1:]}"


def _check_utf8(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and data.lstrip()[:1] == b"{":
            message = f"ends in the middle, at byte {len(data)}"
        else:
            message = f"not UTF-8, at byte {error.start}"
        raise UnreadableReportError(message) from None


def _describe_failure(data: bytes, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deep"
    if not data.strip():
        return "empty"
    if isinstance(error, msgspec.ValidationError):
        return _describe_other_file(data, error)
    text = str(error)
    if "truncated" in text:
        return f"ends in the middle, at byte {len(data)}"
    return f"not JSON: {text.removeprefix('JSON is malformed: ')}"


def _describe_other_file(data: bytes, error: msgspec.ValidationError) -> str:
    """Say of JSON of another form what it is, before what is wrong with it."""
    try:
        schema = _SCHEMA.decode(data).schema
    except msgspec.ValidationError:
        return _is_no_object(data)
    except (msgspec.MsgspecError, RecursionError):
        return "nested too deep"
    return describe_wrong_types(error) if schema == SCHEMA else _describe_schema(schema)


def _is_no_object(data: bytes) -> str:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except RecursionError:
        return "nested too deep"
    except msgspec.DecodeError as error:
        return _describe_failure(data, error)
    return "not a report of pipedoctor: not an object"


def _describe_schema(schema: object) -> str:
    if schema in (None, ""):
        return "not a report of pipedoctor: it has no schema"
    return f"another schema: {_shorten_text(schema)}"


def _shorten_text(value: object) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}..."
