"""Measurements as JSON: schema `pipedoctor.measurement/1`, written and read."""

from typing import Any, Literal

import msgspec

from pipedoctor.facts import SECTIONS, Fact, Facts, MalformedRecordError
from pipedoctor.text.paste_cleanup import convert_to_utf8
from pipedoctor.textsafe import encode_indented_json
from pipedoctor.version import __version__

SECTION_PREFIX = "bench_"
"""Sections that are measurements."""
MEASUREMENT_KINDS = [
    kind for name, kind in SECTIONS.items() if name.startswith(SECTION_PREFIX) or name == "pipeline"
]
MAX_BYTES = 32 << 20
Schema = Literal["pipedoctor.measurement/1", "pipedoctor.report/1", "pipedoctor.tuning/1"]


class _MeasuredSections(msgspec.Struct, frozen=True, kw_only=True):
    known: dict[str, dict[str, Any]]
    unknown: dict[str, str] = {}


class _MeasurementDocument(msgspec.Struct, frozen=True, kw_only=True):
    schema: Schema
    facts: _MeasuredSections


def render(facts: Facts, *, conclusions: tuple[str, ...], seconds: float) -> bytes:
    """Indented JSON in UTF-8; its `facts` are those of a report."""
    whole = {
        "schema": "pipedoctor.measurement/1",
        "tool": {"name": "pipedoctor", "version": __version__},
        "seconds": round(seconds, 3),
        "said": conclusions,
        "facts": facts.to_record(),
    }
    return encode_indented_json(whole)


def read_measurements(data: bytes) -> list[Fact]:
    """The measurements in a document of ours; raises MalformedRecordError."""
    if len(data) > MAX_BYTES:
        message = f"larger than {MAX_BYTES >> 20} MiB: not a pipedoctor measurement"
        raise MalformedRecordError(message)
    data = convert_to_utf8(data) or data
    try:
        document = msgspec.json.decode(data, type=_MeasurementDocument)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else str(error)
        message = f"expected the output of `pipedoctor bench --format json`: {reason}"
        raise MalformedRecordError(message) from None
    sections = {
        name: values
        for name, values in document.facts.known.items()
        if name in {kind.section for kind in MEASUREMENT_KINDS}
    }
    facts = Facts.from_record({"known": sections, "unknown": {}})
    measurements = [fact for kind in MEASUREMENT_KINDS if (fact := facts.get(kind)) is not None]
    if not measurements:
        message = "it contains no measurement"
        raise MalformedRecordError(message)
    return measurements
