"""What the operating system says in other languages, told in English."""

from functools import cache
from pathlib import Path

import msgspec

from pipedoctor.log.line_filter import compute_shape

_MIN_WORD_LETTERS = 5
"""Letters of a word that is rare enough to be looked for."""


class _TranslationTable(msgspec.Struct, frozen=True):
    """The messages, each with what it is elsewhere, and where that was looked up."""

    source: str
    checked: str
    messages: dict[str, tuple[str, ...]]


@cache
def _load_pairs() -> tuple[tuple[str, str], ...]:
    """What is said, and its English; the longest first: some begin with others."""
    data = Path(__file__).with_name("translations.json").read_bytes()
    table = msgspec.json.decode(data, type=_TranslationTable)
    pairs = ((foreign, english) for english, row in table.messages.items() for foreign in row)
    return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair)))


@cache
def _select_ascii() -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in _load_pairs() if pair[0].isascii())


def translate_to_english(text: str) -> str:
    """The line with every message that is known told in English."""
    plain = text.isascii()
    if plain and find_latin_words().isdisjoint(compute_shape(text.encode()).decode().split()):
        return text
    for foreign, english in _select_ascii() if plain else _load_pairs():
        if foreign in text:
            text = text.replace(foreign, english)
    return text


@cache
def find_latin_words() -> frozenset[str]:
    """A word of every message that has one in Latin letters."""
    return frozenset(word for foreign, _ in _load_pairs() if (word := _find_rare_word(foreign)))


@cache
def find_foreign_texts() -> tuple[bytes, ...]:
    """The messages that no such word gives away."""
    return tuple(foreign.encode() for foreign, _ in _load_pairs() if not _find_rare_word(foreign))


def _find_rare_word(foreign: str) -> str:
    longest = max(compute_shape(foreign.encode()).split(), key=len, default=b"").decode()
    return longest if len(longest) >= _MIN_WORD_LETTERS else ""
