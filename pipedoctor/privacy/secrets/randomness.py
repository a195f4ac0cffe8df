"""How much a string looks as if a machine had drawn it: the shape of keys and tokens."""

import math
import re
from collections import Counter

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.secrets.drawn_words import count_bits
from pipedoctor.privacy.secrets.unnamed_secrets import is_named_public

MIN_RANDOM_LENGTH = 28
"""Characters of a string that is taken for a secret without any name beside it."""
_MIN_TURN_RATE = 0.17
"""
Turns for each pair of neighbours. In base 62 they are 0.45 on the average (0.17 is
3 standard deviations below that for 28 characters), in words of code at most 0.15.
"""
_MIN_TURN_RATE_IN_PIECES = 0.12
_MIN_ENTROPY = 3.5
"""Bits for each character; 28 drawn from 62 have 4.4 on the average."""
_LEAST_BITS = -8.0
"""
Of letters that follow each other as drawn, less those of names.

Of 46,000 drawn keys of base 64 with a slash none has fewer; paths of words have -20 to -50.
"""
MIN_RANDOM_RUN = 9
_MIN_MEAN_RUN = 6
"""Letters and digits in a row: names that are put together have shorter ones."""
_WHOLE_KEY = 40
"""Characters of a secret access key of AWS, which may hold slashes."""

_CANDIDATE = (
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{28,}(?:={1,2}(?![\w=]))?"
    r"|[A-Za-z0-9+/]{26,27}={1,2}(?![\w=]))"
)
_PUBLIC_BEFORE = compile_lazily(
    r"(?i)(?:(?:sha|md)[0-9]{1,3}[-=:~]|/nix/store/|\bh1:|\bboundary=-{0,60}|(?:base64|drive\.google\.com\S{1,60}),?|0x|\b(?:hash|digest|checksum)\s)$"
)
"""What stands before a hash that tells nothing."""
_HASH = compile_lazily(r"(?i)(?:sha|md)[0-9]{1,3}[-_]")
_HASH_BEHIND = compile_lazily(r"(?<=[A-Za-z0-9])[_-](?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})$")
"""Behind a name: ``Linux-pip-<hash>``."""
_MANGLED = compile_lazily(r"_{1,3}(?:Z|R)[A-Z]?[NTL0-9]")
"""Names of C++ in a library, as the compiler writes them."""


def count_turns(text: str) -> int:
    """
    Count places where a word would not go on so.

    A capital after a small letter, a digit after a letter, a letter after a digit.
    """
    turns, before = 0, ""
    for letter in text:
        if letter.isupper():
            kind = "A"
        elif letter.islower():
            kind = "a"
        else:
            kind = "0" if letter.isdigit() else ""
        if before and kind and kind != before and before + kind != "Aa":
            turns += 1
        before = kind
    return turns


def compute_entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    counts = Counter(text).values()
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts)


_DIGIT, _SMALL, _CAPITAL = map(compile_lazily, ("[0-9]", "[a-z]", "[A-Z]"))


def has_three_classes(text: str) -> bool:
    """Are there small letters, capitals and digits in it?"""
    return bool(_DIGIT.search(text) and _SMALL.search(text) and _CAPITAL.search(text))


def is_random(text: str, *, in_pieces: bool = False) -> bool:
    """
    Does it look drawn at random from letters and digits, whatever stands beside it?

    In base 64 slashes may leave nothing but short pieces of it.
    """
    mixed = has_three_classes(text) or (len(text) >= _WHOLE_KEY and _has_two_classes(text))
    if len(text) < MIN_RANDOM_LENGTH or not mixed or _MANGLED.match(text):
        return False
    runs = [len(run) for run in re.split(r"[^A-Za-z0-9]+", text)]
    if not in_pieces and (max(runs) < MIN_RANDOM_RUN or sum(runs) / len(runs) < _MIN_MEAN_RUN):
        return False
    rate = count_turns(text) / (len(text) - len(runs))
    least = _MIN_TURN_RATE_IN_PIECES if in_pieces else _MIN_TURN_RATE
    if rate < least or compute_entropy(text) < _MIN_ENTROPY:
        return False
    if "/" not in text:
        return True
    return sum(map(count_bits, re.findall("[A-Za-z0-9]+", text))) > _LEAST_BITS


def _has_two_classes(text: str) -> bool:
    """Letters of one case and digits, and no hash: that is what `0-9a-f` is."""
    return "+" in text or (text.isupper() and not re.fullmatch(r"[0-9A-F_-]+", text))


def mask_random(text: str, mask: str) -> str:
    """Put `mask` in place of what nobody has named, but a machine must have drawn."""
    if len(text) < MIN_RANDOM_LENGTH:
        return text

    def hide(match: re.Match[str]) -> str:
        return _mask_candidate(match, mask)

    return re.sub(_CANDIDATE, hide, text)


def _is_public(match: re.Match[str], bare: str) -> bool:
    """Does its begin, or what stands before it, tell a hash, a path or an identifier?"""
    before = match.string[max(0, match.start() - 160) : match.start()]
    behind_name = len(_HASH_BEHIND.sub("", bare)) < MIN_RANDOM_LENGTH <= len(bare)
    return bool(
        _HASH.match(match[0])
        or behind_name
        or _PUBLIC_BEFORE.search(before[-80:])
        or is_named_public(match.string, match.start(), match[0])
    )


def _mask_candidate(match: re.Match[str], mask: str) -> str:
    found = match[0]
    bare = found.rstrip("=")
    if _is_public(match, bare):
        return found
    if "/" not in bare:
        return mask if is_random(bare if len(bare) >= MIN_RANDOM_LENGTH else found) else found
    padded = "+" in found or "=" in found
    if (padded or len(bare) == _WHOLE_KEY) and is_random(bare, in_pieces=True):
        return mask
    drawn = (part for part in found.split("/") if is_random(part) and not part.isupper())
    for part in drawn:  # in base 32, folders of caches are hashes
        found = found.replace(part, mask)
    return found
