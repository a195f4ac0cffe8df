"""The explanation as JSON: contract `pipedoctor.explanation/1`."""

from typing import Any

from pipedoctor.explanation.model import Explanation
from pipedoctor.textsafe import encode_indented_json


def render(explanation: Explanation) -> bytes:
    """Indented JSON; everything but ASCII is escaped, ends with a newline."""
    text = encode_indented_json(explanation)
    if text.isascii():
        return text
    import json  # noqa: PLC0415  (only it escapes everything)

    return json.dumps(json.loads(text), indent=2).encode() + b"\n"


def build_schema() -> dict[str, Any]:
    """The JSON Schema of an explanation."""
    from pipedoctor.report.schema import build_json_schema  # noqa: PLC0415  (for docs and tests)

    return build_json_schema(Explanation)
