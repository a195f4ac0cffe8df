"""A comparison as JSON: contract `pipedoctor.diff/1`, and its schema."""

from typing import Any

import msgspec

from pipedoctor.diff.model import Diff
from pipedoctor.report.json import visible


def render(diff: Diff) -> bytes:
    """Indented JSON in UTF-8, whatever the locale; ends with a newline."""
    text = msgspec.json.format(msgspec.json.encode(diff, enc_hook=str)) + b"\n"
    return visible(text)


def schema() -> dict[str, Any]:
    """The JSON Schema of a comparison; every field is always there."""
    (top,), parts = msgspec.json.schema_components(
        [Diff], ref_template="#/$defs/{name}"
    )
    for part in parts.values():
        fields = part["properties"]
        part["required"] = sorted(fields)
        for field in fields.values():
            field.pop("default", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pipedoctor.diff/1",
        **top,
        "$defs": parts,
    }
