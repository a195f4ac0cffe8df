"""Facts as data that any report can carry, whatever bytes names and code hold."""

from typing import Any

import msgspec

from pipedoctor.collect.mounts import legible
from pipedoctor.facts import Fact, Part
from pipedoctor.legible import throughout


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
        return throughout(data, _encodable)
    return data


def _encodable(text: str) -> str:
    """A name with odd bytes, or a text of code with half a character in it."""
    try:
        return legible(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
