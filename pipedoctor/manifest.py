"""Write the little YAML that manifests need; nothing here reads any."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Node: TypeAlias = "str | int | Mapping[str, Node] | Sequence[Node]"

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9/._-]*|[0-9]+[a-zA-Z]+")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def yaml(node: Node) -> str:
    """Block style, two spaces deep, a list's items under the dash."""
    return "\n".join(_lines(node))


def _lines(node: Node) -> Iterator[str]:
    if isinstance(node, str | int):
        yield _scalar(node)
    elif isinstance(node, Mapping):
        for key, value in node.items():
            if isinstance(value, str | int):
                yield f"{key}: {_scalar(value)}"
            else:
                yield f"{key}:"
                yield from (f"  {line}" for line in _lines(value))
    else:
        for item in node:
            for number, line in enumerate(_lines(item)):
                yield f"{'  ' if number else '- '}{line}"


def _scalar(value: str | int) -> str:
    """As it stands where YAML reads it as that string; else quoted as JSON does."""
    plain = isinstance(value, int) or (
        _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    )
    return str(value) if plain else json.dumps(value)
