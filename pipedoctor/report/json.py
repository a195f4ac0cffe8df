"""The report as JSON: contract `pipedoctor.report/1`, and its schema."""

import re
from typing import Any

import msgspec

from pipedoctor.facts import Facts, Malformed
from pipedoctor.legible import indented
from pipedoctor.report.model import Known, Report, Schema

LARGEST = 32 << 20
"""Bytes of the largest report that is read; ours have some hundred thousand."""

EXPECTED = (
    "expected a report of `pipedoctor check` as JSON, HTML or .zip, or the text of"
    " `python -m torch.utils.collect_env`: "
)

_IN_PAGE = re.compile(
    rb"<script type=\"application/json\" id=\"record\">(.*?)</script>", re.DOTALL
)

_ODD = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What a terminal obeys or hides, though JSON allows it in a string."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a report: its facts, for they are judged again."""

    schema: Schema
    created: str
    facts: Known


def render(report: Report) -> bytes:
    """Indented JSON in UTF-8, whatever the locale; ends with a newline."""
    return visible(indented(report))


def visible(text: bytes) -> bytes:
    """Escape, in JSON, what a terminal would obey or hide."""
    return text if text.isascii() else _ODD.sub(_escaped, text.decode()).encode()


def read(data: bytes) -> tuple[Facts, str]:
    """
    Facts of a report, and when it was created; raises Malformed.

    Or the facts that the pasted text of a collector tells, and what text that is.
    Sections that this version does not know are left out, as are findings. A page
    of HTML has its record in it.
    """
    if len(data) > LARGEST:
        message = f"larger than {LARGEST >> 20} MiB: not a report of pipedoctor"
        raise Malformed(message)
    if data[:256].lstrip().lower().startswith(b"<!doctype html"):
        data = _record_of(data)
    head = data[:4096].lstrip()
    if not head.startswith(b"{"):
        from pipedoctor import text  # noqa: PLC0415  (most runs read no text)

        try:
            ticket = text.read(data)
        except text.NoTicket as error:
            reason = _why_not(head) or str(error)
            raise Malformed(EXPECTED + reason) from None
        return ticket.facts, ticket.source
    try:
        record = msgspec.json.decode(data, type=Record)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else str(error)
        raise Malformed(EXPECTED + reason) from None
    known = {"known": record.facts.known, "unknown": record.facts.unknown}
    return Facts.from_record(known), record.created


def _why_not(head: bytes) -> str:
    if head.startswith(b"# pipedoctor: "):
        return "a report in Markdown is for people, and has not all facts in it"
    return "" if head else "it is empty"


def _record_of(page: bytes) -> bytes:
    found = _IN_PAGE.search(page)
    if found is None:
        raise Malformed(EXPECTED + "it is a page without one")
    return found[1]


def schema() -> dict[str, Any]:
    """The JSON Schema of a report."""
    from pipedoctor.schema import json_schema  # noqa: PLC0415  (for docs and tests)

    return json_schema(Report)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
