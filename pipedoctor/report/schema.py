"""The JSON Schema of what a command writes, from the structs that it writes."""

from typing import Any

import msgspec


def build_json_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """
    Its schema; every field that is always there is required.

    The title is the name of the contract, the default of the field `schema`.
    """
    (top,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    title = parts[kind.__name__]["properties"]["schema"]["default"]
    for part in parts.values():
        fields = part["properties"]
        part["required"] = sorted(fields)
        for field in fields.values():
            field.pop("default", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **top,
        "$defs": parts,
    }
