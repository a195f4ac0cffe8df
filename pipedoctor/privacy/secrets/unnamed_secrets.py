"""
Secrets that stand alone: what looks drawn is one, unless its place says what else it is.

Paths, addresses, hashes and identifiers of runs, requests and files look as drawn as a
password does; where they stand, or the name beside them, tells them apart.
"""

import re

from pipedoctor.privacy.secrets.drawn_words import MIN_DRAWN, find_drawn_part
from pipedoctor.privacy.secrets.secret_names import NameStrength, judge_name, split_name

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_WORD = rf"[A-Za-z0-9_.!#$%^&*~?+-]{{{MIN_DRAWN},}}"
_HASH_BEHIND_NAME = r"[_.-]([0-9a-f]{20,}|[0-9A-F]{20,})$"
_HASH = r"(?i)(?:sha|md)\d{1,3}[-_]"
_FILE_ENDING = r"\.[a-z][a-z0-9]{0,9}(?:\.\d+)?$"
_VERSION_BEFORE = r"(?:^|[=@v_-])\d+(?:\.[0-9a-z]+){1,4}\+"
"""Of a build: ``2.8.3+cu12torch2.8cxx11abiTRUE``."""
_CHUNK_BEFORE = r"[^\s\"'`=,;()\[\]{}<>|]*$"
_CHUNK_BEHIND = r"[^\s\"'`,;()\[\]{}<>|]*"
_HASH_BEFORE = (
    r"(?i)(?:(?:sha|md|blake)\d?[a-z]?\d{0,3}[-=:~ ]|\bh1:|base64,|0x|[%&]|\\x?"
    r"|\b(?:integrity|digest|etag|checksum|fingerprint|hash)\b[^\n]{0,40})$"
)
_NAME_BEFORE = (
    r"([A-Za-z][\w.-]{0,60})[\"'`]?(?:\s{0,8}[:=]\s{0,4}|\s(?:is|was)\s|\s#?)(?:W/)?"
    r"[\"'`(\[<{]{0,2}$"
)
_SIGNED_NAME_BEFORE = r"([A-Za-z][\w.-]{0,60})[\"'`]?\s{0,8}[:=]\s{0,4}(?:W/)?[\"'`]?$"
_LONG_PART = 20
"""Characters of a part that no relative path has: ``T01/B02/<token>`` is none."""
_PUBLIC_NAMES = frozenset(
    "id ids uid uuid guid hash hashes etag digest checksum sum crc sha md fingerprint"  # noqa: SIM905
    " rev revision commit version ver build tag tags file files filename path paths"
    " dir folder prefix suffix model models arch device gpu cpu boundary request trace"
    " span run runs experiment job task node pod container image images video videos"
    " clip sample samples shard object cursor page slug symbol kernel function class"
    " method module layer package wheel channel branch ref refs blob tree cache sku"
    " bucket region zone zones board card drive disk part number no nr nonce ray v"
    " integrity ulid ksuid cuid nanoid raysubmit submission req resp msg chatcmpl cmpl"
    " toolu asst".split()
)
"""Last words of names beside which anything may look drawn and be no secret."""


def mask_unnamed(text: str, mask: str) -> str:
    """Put `mask` in place of what looks drawn and is nothing else by its place."""
    words = set(re.findall(_WORD, text))
    drawn = {word for word in words if _is_suspect(word)}
    if not drawn:
        return text

    def hide(match: re.Match[str]) -> str:
        word = match[0]
        if word not in drawn or _is_called(match):
            return word
        named = _find_hash_of_name(word)
        begin, end = named or find_drawn_part(word) or (0, 0)
        if not named and _is_public_place(match, begin, end):
            return word
        return word[:begin] + mask + word[end:]

    return re.sub(_WORD, hide, text)


def _is_called(match: re.Match[str]) -> bool:
    """Is it the name of a class that is made: ``CLIPViTL14x336px(...)``?"""
    word = match[0]
    return word.isidentifier() and word[0].isupper() and match.string[match.end() :][:1] == "("


def _is_suspect(word: str) -> bool:
    return find_drawn_part(word) is not None or _find_hash_of_name(word) is not None


def _find_hash_of_name(word: str) -> tuple[int, int] | None:
    """Where hexadecimal digits stand behind the name of a secret: ``api_token_0a1b``."""
    found = re.search(_HASH_BEHIND_NAME, word) if len(word) > 2 * MIN_DRAWN else None
    if found is None or judge_name(word[: found.start()]) is NameStrength.NONE:
        return None
    return found.start(1), found.end()


def _is_public_place(match: re.Match[str], begin: int, end: int) -> bool:
    """Does the text around a word say that it is a path, a hash or an identifier?"""
    text, word = match.string, match[0]
    if re.search(_FILE_ENDING, word[end:]) or re.search(_VERSION_BEFORE, word[:end]):
        return True
    line = max(0, text.rfind("\n", 0, match.start()) + 1, match.start() - 160)
    before = text[line : match.start()]
    if _is_path(before, word, text, match.end()):
        return True
    prefix = word[:begin].strip("_.-")
    return bool(prefix and _is_public_name(prefix)) or _is_public_before(before)


def is_named_public(text: str, begin: int, word: str) -> bool:
    """Does the name before a word, or at its begin, say that it is an identifier or a hash?"""
    line = max(0, text.rfind("\n", 0, begin) + 1, begin - 160)
    prefix = re.match(r"([A-Za-z]+)[_-]", word)
    name = re.search(_SIGNED_NAME_BEFORE, text[line:begin][-80:])
    return any(found and _is_public_name(found[1]) for found in (prefix, name))


def _is_public_before(before: str) -> bool:
    if re.search(_HASH_BEFORE, before[-100:]):
        return True
    name = re.search(_NAME_BEFORE, before[-80:])
    return name is not None and _is_public_name(name[1])


def _is_public_name(name: str) -> bool:
    words = [word for word in split_name(name) if not word.isdigit()]
    if not words or judge_name(name) is not NameStrength.NONE:
        return False
    return words[-1] in _PUBLIC_NAMES or (words[-1] == "key" and words[-2:-1] == ["cache"])


def _is_path(before: str, word: str, text: str, end: int) -> bool:
    """Is it a part of a path or an address, not the second half of ``user/secret``?"""
    head = re.search(_CHUNK_BEFORE, before)
    tail = re.compile(_CHUNK_BEHIND).match(text, end)
    first, last = head[0] if head else "", tail[0] if tail else ""
    chunk = f"{first}{word}{last}".replace("\\\\", "/").replace("\\", "/")
    if re.match(_HASH, chunk):
        return True
    if "/" not in chunk or "@" in last:
        return False
    absolute = "://" in chunk or chunk.startswith(("/", "~", ".")) or chunk[1:3] == ":/"
    return absolute or (chunk.count("/") > 1 and len(word) < _LONG_PART)
