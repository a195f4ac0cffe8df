"""The explanation as JSON: contract `pipedoctor.explanation/1`."""

from typing import Any

from pipedoctor.explanation.model import Explanation
from pipedoctor.legible import indented


def render(said: Explanation) -> bytes:
    """Indented JSON; everything but ASCII is escaped, ends with a newline."""
    text = indented(said)
    if text.isascii():
        return text
    import json  # noqa: PLC0415  (only it escapes everything)

    return json.dumps(json.loads(text), indent=2).encode() + b"\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of an explanation."""
    from pipedoctor.schema import json_schema  # noqa: PLC0415  (for docs and tests)

    return json_schema(Explanation)
