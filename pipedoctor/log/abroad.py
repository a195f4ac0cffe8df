"""What the operating system says in other languages, told in English."""

from functools import cache
from pathlib import Path

import msgspec

from pipedoctor.log.sieve import shape

_TELLS = 5
"""Letters of a word that is rare enough to be looked for."""


class _Table(msgspec.Struct, frozen=True):
    """The messages, each with what it is elsewhere, and where that was looked up."""

    source: str
    checked: str
    messages: dict[str, tuple[str, ...]]


@cache
def _pairs() -> tuple[tuple[str, str], ...]:
    """What is said, and its English; the longest first: some begin with others."""
    data = Path(__file__).with_name("abroad.json").read_bytes()
    table = msgspec.json.decode(data, type=_Table)
    pairs = ((said, told) for told, row in table.messages.items() for said in row)
    return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair)))


@cache
def _plain() -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in _pairs() if pair[0].isascii())


def english(text: str) -> str:
    """The line with every message that is known told in English."""
    plain = text.isascii()
    if plain and words().isdisjoint(shape(text.encode()).decode().split()):
        return text
    for said, told in _plain() if plain else _pairs():
        if said in text:
            text = text.replace(said, told)
    return text


@cache
def words() -> frozenset[str]:
    """A word of every message that has one in Latin letters."""
    return frozenset(word for said, _ in _pairs() if (word := _word(said)))


@cache
def needles() -> tuple[bytes, ...]:
    """The messages that no such word gives away."""
    return tuple(said.encode() for said, _ in _pairs() if not _word(said))


def _word(said: str) -> str:
    longest = max(shape(said.encode()).split(), key=len, default=b"").decode()
    return longest if len(longest) >= _TELLS else ""
