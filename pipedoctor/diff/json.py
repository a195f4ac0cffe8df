"""A comparison as JSON: contract `pipedoctor.diff/1`, and its schema."""

from typing import Any

from pipedoctor.diff.model import Diff
from pipedoctor.legible import indented
from pipedoctor.report.json import visible


def render(diff: Diff) -> bytes:
    """Indented JSON in UTF-8, whatever the locale; ends with a newline."""
    return visible(indented(diff))


def schema() -> dict[str, Any]:
    """The JSON Schema of a comparison."""
    from pipedoctor.schema import json_schema  # noqa: PLC0415  (for docs and tests)

    return json_schema(Diff)
