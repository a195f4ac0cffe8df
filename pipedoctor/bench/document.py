"""Measurements as JSON: schema `pipedoctor.measurement/1`, written and read."""

from typing import Any, Literal

import msgspec

from pipedoctor import __version__
from pipedoctor.facts import SECTIONS, Fact, Facts, Malformed
from pipedoctor.legible import indented

PREFIX = "bench_"
"""Sections that are measurements."""
KINDS = [
    kind
    for name, kind in SECTIONS.items()
    if name.startswith(PREFIX) or name == "pipeline"
]
LARGEST = 32 << 20
Schema = Literal[
    "pipedoctor.measurement/1", "pipedoctor.report/1", "pipedoctor.tuning/1"
]


class _Sections(msgspec.Struct, frozen=True, kw_only=True):
    known: dict[str, dict[str, Any]]
    unknown: dict[str, str] = {}


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    schema: Schema
    facts: _Sections


def render(facts: Facts, *, said: tuple[str, ...], seconds: float) -> bytes:
    """Indented JSON in UTF-8; its `facts` are those of a report."""
    whole = {
        "schema": "pipedoctor.measurement/1",
        "tool": {"name": "pipedoctor", "version": __version__},
        "seconds": round(seconds, 3),
        "said": said,
        "facts": facts.to_record(),
    }
    return indented(whole)


def read(data: bytes) -> list[Fact]:
    """The measurements in a document of ours; raises Malformed."""
    if len(data) > LARGEST:
        message = f"larger than {LARGEST >> 20} MiB: not a measurement of pipedoctor"
        raise Malformed(message)
    try:
        document = msgspec.json.decode(data, type=_Document)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deeply" if deep else str(error)
        message = f"expected what `pipedoctor bench --format json` writes: {reason}"
        raise Malformed(message) from None
    known = {
        name: values
        for name, values in document.facts.known.items()
        if name in {kind.section for kind in KINDS}
    }
    facts = Facts.from_record({"known": known, "unknown": {}})
    found = [fact for kind in KINDS if (fact := facts.get(kind)) is not None]
    if not found:
        message = "there is no measurement in it"
        raise Malformed(message)
    return found
