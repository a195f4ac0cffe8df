"""The report as JSON: contract `pipedoctor.report/1`, and its schema."""

import re
from typing import Any, cast

import msgspec

from pipedoctor.facts import Facts, MalformedRecordError
from pipedoctor.report.model import Report, ReportedFacts, ReportSchema
from pipedoctor.textsafe import encode_indented_json

MAX_REPORT_BYTES = 32 << 20
"""Bytes of the largest report that is read; ours have some hundred thousand."""

EXPECTED_INPUT = (
    "expected a report of `pipedoctor check` as JSON, HTML or .zip, or the text of"
    " `python -m torch.utils.collect_env`: "
)

_USUAL_STARTS = (b"{", b"<", b"")
_MARK_BYTES = 4
"""Bytes of the longest mark."""

_EMBEDDED_RECORD = re.compile(
    rb"<script type=\"application/json\" id=\"record\">(.*?)</script>", re.DOTALL
)

_LONG_NUMBER = re.compile(rb"[0-9]{19}")
"""Digits of the least number that may need more than 64 bits."""


class ReportRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a report, and kept in a page: its facts, to be judged again."""

    schema: ReportSchema
    created: str
    facts: ReportedFacts


def render(report: Report) -> bytes:
    """Indented JSON in UTF-8, whatever the locale; ends with a newline."""
    return encode_indented_json(report)


def read_report(data: bytes) -> tuple[Facts, str]:
    """
    Facts of a report, and when it was created; raises MalformedRecordError.

    Or the facts that the pasted text of a collector tells, and what text that is.
    Sections that this version does not know are left out, as are findings. A page
    of HTML has its record in it.
    """
    if len(data) > MAX_REPORT_BYTES:
        message = f"larger than {MAX_REPORT_BYTES >> 20} MiB: not a report of pipedoctor"
        raise MalformedRecordError(message)
    data = decode_report(data)
    if data[:256].lstrip().lower().startswith(b"<!doctype html"):
        data = _extract_record(data)
    head = data[:4096].lstrip()
    if not head.startswith(b"{"):
        from pipedoctor import text  # noqa: PLC0415  (most runs read no text)

        try:
            ticket = text.read_environment(data)
        except text.NoEnvironmentError as error:
            reason = _explain_rejection(head) or str(error)
            raise MalformedRecordError(EXPECTED_INPUT + reason) from None
        return ticket.facts, ticket.source
    try:
        record = msgspec.json.decode(data, type=ReportRecord)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else str(error)
        raise MalformedRecordError(EXPECTED_INPUT + reason) from None
    if _LONG_NUMBER.search(data) and _has_huge_number(record.facts.known):
        raise MalformedRecordError(EXPECTED_INPUT + "it holds a number that no machine has")
    known = {"known": record.facts.known, "unknown": record.facts.unknown}
    return Facts.from_record(known), record.created


def _has_huge_number(value: object) -> bool:
    """Is there a number that needs more than 64 bits?"""
    if isinstance(value, dict):
        return any(map(_has_huge_number, cast("dict[str, object]", value).values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_huge_number, cast("list[object]", value)))
    return isinstance(value, int) and abs(value) >> 64 != 0


def decode_report(data: bytes) -> bytes:
    """
    The same text in UTF-8, without a mark of the byte order; binary data stay as they are.

    Windows PowerShell writes UTF-16 where output is redirected, editors write a mark.
    """
    if data[:1] in _USUAL_STARTS and b"\0" not in data[:_MARK_BYTES]:
        return data
    from pipedoctor.text.paste_cleanup import convert_to_utf8  # noqa: PLC0415  (as above)

    converted = convert_to_utf8(data)
    return data if converted is None else converted


def _explain_rejection(head: bytes) -> str:
    if head.startswith(b"# pipedoctor: "):
        return "a Markdown report does not contain all facts"
    return "" if head else "it is empty"


def _extract_record(page: bytes) -> bytes:
    found = _EMBEDDED_RECORD.search(page)
    if found is None:
        raise MalformedRecordError(EXPECTED_INPUT + "it is a page without one")
    return found[1]


def build_schema() -> dict[str, Any]:
    """The JSON Schema of a report."""
    from pipedoctor.report.schema import build_json_schema  # noqa: PLC0415  (for docs and tests)

    return build_json_schema(Report)
