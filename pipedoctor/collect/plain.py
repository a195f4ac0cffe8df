"""Facts as data that any report can carry, whatever bytes names and code hold."""

from typing import Any, cast

import msgspec

from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Fact, Part


def plain(fact: Fact | Part) -> Any:
    """
    As data that any report can carry, or a ValidationError that says what is wrong.

    Names of files may hold bytes that no text has: they are spelled out.
    """
    data = msgspec.to_builtins(fact)
    msgspec.convert(data, type(fact))
    try:
        msgspec.msgpack.encode(data)
    except UnicodeEncodeError:
        return _spelled_out(data)
    return data


def _spelled_out(data: object) -> object:
    if isinstance(data, str):
        return _encodable(data)
    if isinstance(data, dict):
        items = cast("dict[object, object]", data).items()
        return {_spelled_out(key): _spelled_out(value) for key, value in items}
    if isinstance(data, (list, tuple)):
        return [_spelled_out(item) for item in cast("list[object]", data)]
    return data


def _encodable(text: str) -> str:
    """A name with odd bytes, or a text of code with half a character in it."""
    try:
        return legible(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
