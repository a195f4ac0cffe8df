"""Facts as data that any report can carry, whatever bytes names and code hold."""

from typing import Any

import msgspec

from pipedoctor.collect.mounts import escape_path
from pipedoctor.facts import Fact, Part
from pipedoctor.textsafe import map_strings


def to_encodable(fact: Fact | Part) -> Any:
    """
    Convert a fact to data that any report can carry; raises ValidationError.

    Names of files may hold bytes that no text has: they are spelled out.
    """
    data = msgspec.to_builtins(fact)
    msgspec.convert(data, type(fact))
    try:
        msgspec.msgpack.encode(data)
    except UnicodeEncodeError:
        return map_strings(data, _make_encodable)
    return data


def _make_encodable(text: str) -> str:
    """A name with odd bytes, or a text of code with half a character in it."""
    try:
        return escape_path(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
