"""
Words that a machine has drawn, told from names by how probable their letters are.

Names of code are made of words and numbers; passwords and tokens go from letter to letter,
from small to capital and to digits, as chance has it. The difference of the two
probabilities, in bits, decides; no name has to stand beside the word.
"""

import functools
import re
from typing import NamedTuple

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.secrets.letter_pairs import LETTER_PAIRS

MIN_DRAWN = 10
"""Characters of the shortest word that is judged without a name beside it."""
_LOWEST, _PER_BIT = -4.0, 2
_BITS_OF_TURNS: dict[str, float] = dict(
    zip(
        ("aa", "aA", "a0", "Aa", "AA", "A0", "0a", "0A", "00"),
        (-1.1, 2.3, 2.6, -0.5, 0.2, 1.4, 1.3, 1.9, -2.2),
        strict=True,
    )
)
"""
How much rarer a kind of letter follows another in names than among 62 letters and digits.

Counted as the pairs of letters; ``a``, ``A`` and ``0`` stand for small ones, capitals, digits.
"""
_BITS_OF_SIGN = 3.0
"""Of a sign within a word, which no name has."""
_MIN_BITS, _MIN_BITS_LONG, _LONG = 3.0, 2.0, 12
"""For words with small letters, capitals and digits; of a name one in 100 has as many."""
_MIN_BITS_LETTERS, _MIN_LETTERS = 8.0, 12
_MIN_BITS_TWO_KINDS, _MIN_TWO_KINDS = 6.0, 16
_MAX_ACRONYM = 5
_MIN_TELLING = 8
"""Letters and digits of its pieces that are no numbers."""
_RARE_SIGNS = "!#$%^&*~?"
_PIECE = compile_lazily(
    rf"(?P<encoded>(?:%[0-9A-Fa-f]{{2}})+)|[A-Za-z0-9]+|[{re.escape(_RARE_SIGNS)}]+"
)
_SIZE = compile_lazily(r"\d+(?:x\d+)+[a-z]?")
_HEXADECIMAL = compile_lazily(r"0x[0-9a-fA-F]+|[0-9a-f]+|[0-9A-F]+")
_MANGLED = compile_lazily(
    r"(?:^|[_.])_Z[A-Z]?[NTKL0-9]|^Z[NTKL]|^(?:St|NK?S?t?)\d{1,2}[a-z]{2}|^_R[NI]"
)
_ORDERED = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
_MAX_ORDERED = 7
"""Letters in the order of the alphabet: no machine draws so many."""


class DrawnPart(NamedTuple):
    """Where in a word the part stands that was drawn."""

    begin: int
    end: int


@functools.lru_cache(maxsize=8192)
def find_drawn_part(word: str) -> DrawnPart | None:
    """The pieces of a word, between its signs, that look drawn the most."""
    if word.islower() or word.isupper() or word.isdigit():
        return _find_drawn_run(word)
    if _MANGLED.search(word) or _HEXADECIMAL.fullmatch(word):
        return None
    best = DrawnPart(0, 0)
    best_bits = bits = 0.0
    begin = end = 0
    for piece in _PIECE.finditer(word):
        if piece["encoded"]:
            bits = 0.0
            continue
        more = _weigh_piece(piece[0])
        if bits <= 0 and more > 0:
            begin, bits = piece.start(), 0.0
        bits = max(0.0, bits + more)
        end = piece.end()
        if bits > best_bits:
            best_bits, best = bits, DrawnPart(begin, end)
    return best if _is_drawn(word[best.begin : best.end], best_bits) else None


def count_bits(text: str) -> float:
    """How much more probable letters and digits are as drawn than as a name, in bits."""
    bits, before, kind_before = 0.0, "", ""
    for letter in text:
        kind = "0" if letter.isdigit() else "A" if letter.isupper() else "a"
        if before:
            bits += _BITS_OF_TURNS[kind_before + kind]
            if kind != "0" != kind_before and kind_before + kind != "aA":
                bits += _weigh_pair(before, letter)
        before, kind_before = letter, kind
    return bits


def _weigh_pair(first: str, second: str) -> float:
    row = LETTER_PAIRS[ord(first.lower()) - 97]
    return _LOWEST + (ord(row[ord(second.lower()) - 97]) - 97) / _PER_BIT


def _weigh_piece(piece: str) -> float:
    if piece[0] in _RARE_SIGNS:
        return _BITS_OF_SIGN
    if piece.isdigit() or _SIZE.fullmatch(piece):
        return 0.0
    acronym = len(piece) <= _MAX_ACRONYM and (piece.isupper() or piece.islower())
    plain = (acronym and piece.isalpha()) or _HEXADECIMAL.fullmatch(piece)
    return min(0.0, count_bits(piece)) if plain else count_bits(piece)


def _is_drawn(part: str, bits: float) -> bool:
    letters = [letter for letter in part if letter.isalnum()]
    telling = sum(len(piece) for piece in re.findall(r"[A-Za-z0-9]+", part) if not piece.isdigit())
    if len(part) < MIN_DRAWN or telling < _MIN_TELLING or _is_ordered(part):
        return False
    kinds = (
        any(letter.isdigit() for letter in letters),
        any(letter.islower() for letter in letters),
        any(letter.isupper() for letter in letters),
    )
    if all(kinds):
        return bits >= (_MIN_BITS_LONG if len(letters) >= _LONG else _MIN_BITS)
    if not kinds[0] and len(letters) >= _MIN_LETTERS:
        return bits >= _MIN_BITS_LETTERS and part.isalpha()
    return False


def _find_drawn_run(word: str) -> DrawnPart | None:
    """In words of one case: only long ones with digits, and no hash."""
    for piece in re.finditer(rf"[A-Za-z0-9]{{{_MIN_TWO_KINDS},}}", word):
        text = piece[0]
        if (
            not (text.isalpha() or text.isdigit() or _HEXADECIMAL.fullmatch(text))
            and count_bits(text) >= _MIN_BITS_TWO_KINDS
            and not _is_ordered(text)
        ):
            return DrawnPart(piece.start(), piece.end())
    return None


def _is_ordered(text: str) -> bool:
    lower = text.lower()
    return any(
        lower[at : at + _MAX_ORDERED] in _ORDERED for at in range(len(lower) - _MAX_ORDERED + 1)
    )
