"""A comparison as JSON: contract `pipedoctor.diff/1`, and its schema."""

from typing import Any

from pipedoctor.diff.model import Diff
from pipedoctor.textsafe import encode_indented_json


def render(diff: Diff) -> bytes:
    """Indented JSON in UTF-8, whatever the locale; ends with a newline."""
    return encode_indented_json(diff)


def build_schema() -> dict[str, Any]:
    """The JSON Schema of a comparison."""
    from pipedoctor.report.schema import build_json_schema  # noqa: PLC0415  (for docs and tests)

    return build_json_schema(Diff)
