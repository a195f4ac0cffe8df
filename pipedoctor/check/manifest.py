"""Write the little YAML that manifests need; nothing here reads any."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from pipedoctor.lazy_pattern import compile_lazily

YamlNode: TypeAlias = "str | int | Mapping[str, YamlNode] | Sequence[YamlNode]"

_PLAIN_SCALAR = compile_lazily(r"[A-Za-z/][A-Za-z0-9/._-]*|[0-9]+[a-zA-Z]+")
_YAML_KEYWORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def render_yaml(node: YamlNode) -> str:
    """Block style, two spaces deep, a list's items under the dash."""
    return "\n".join(_render_lines(node))


def _render_lines(node: YamlNode) -> Iterator[str]:
    if isinstance(node, str | int):
        yield _render_scalar(node)
    elif isinstance(node, Mapping):
        for key, value in node.items():
            if isinstance(value, str | int):
                yield f"{key}: {_render_scalar(value)}"
            else:
                yield f"{key}:"
                yield from (f"  {line}" for line in _render_lines(value))
    else:
        for item in node:
            for number, line in enumerate(_render_lines(item)):
                yield f"{'  ' if number else '- '}{line}"


def _render_scalar(value: str | int) -> str:
    """As it stands where YAML reads it as that string; else quoted as JSON does."""
    plain = isinstance(value, int) or (
        _PLAIN_SCALAR.fullmatch(value) and value.lower() not in _YAML_KEYWORDS
    )
    if plain:
        return str(value)
    import json  # noqa: PLC0415  (few manifests quote anything)

    return json.dumps(value)
