"""
Secrets that no sign binds to a name: what looks drawn in a line that tells of one.

*login with credentials train / x*, a table with a column ``password``, *key added to the
netrc file: x*, ``connect(user, "x")``: the shape of the word decides, and a line whose words
mean a secret.
"""

import re

from pipedoctor.privacy.secrets.foreign_words import FOREIGN_PASSWORDS
from pipedoctor.privacy.secrets.randomness import count_turns, has_three_classes
from pipedoctor.privacy.secrets.secret_values import is_number_or_version, is_path, looks_named

_SIGNS = "!@#$%^&*~?+"
# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_COMMON_SIGNS = r"[@~?+]"
"""Names of models and packages have these as well: ``RN50x16@384Px``, ``C++17``."""
_ENGLISH = (
    *("password", "passwd", "passphrase", "passcode", "credential", "creds", "netrc", "secret"),
    *("api key", "apikey", "api_key", "api-key", "access key", "access_key", "auth token"),
    *("auth_token", "login:", "login(", "signin(", "authenticate(", "connect("),
    *("securestring", "auth ", "login ", "logged in"),
    *("redis(", "client(", "session(", "minio(", "elasticsearch(", "credentials("),
    *("connection(", "ftp(", "ftp_tls(", "smtp(", "imap4("),
)
TELLING_WORDS = (*_ENGLISH, *FOREIGN_PASSWORDS)
"""In small letters; a line that has one of these may show a secret anywhere."""
_ASCII = tuple(word for word in TELLING_WORDS if word.isascii())
_NOT_ASCII = tuple(word for word in TELLING_WORDS if not word.isascii())
_HASH_WORDS = r"(?i)\b(?:commit|sha\d*|md5|hash|digest|checksum|revision|etag|finger)"
_WORD = r"(?<![\w<])(?:%2[27]|&quot;|&#\d\d;)?[^\s\"'`|<>,;(){}\[\]=:]{8,}"
_USER_BEFORE = r"[a-z][a-z0-9_.@-]{0,30}/(?=[A-Za-z0-9]{8,}[.!?*]{0,3}$)"
"""Of a pair: ``bob/x``."""
_ENCODED_QUOTE = r"%2[27]|&quot;|&#\d\d;"
_QUOTED = rf"(?<=[\"'])(?=[^\s\"']{{0,200}}[{_SIGNS}])[^\s\"'\\/(){{}}\[\]<>|,;:=]{{8,64}}(?=[\"'])"
_HEX_KEY = r"[0-9a-f]{32,64}"
_NOT_DRAWN = r"\$[A-Z{(]|[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}$|.*%\(|.*\.(?:py|so|json)\b"
_DRAWN_KEY = r"(?<=[\"'])[A-Za-z0-9_-]{20,27}(?=[\"'])"
_OPENING = (":", "{", "[", "(")
MIN_TELLING = 10
"""Characters of the shortest text that can hold a name and a password."""
_MIN_TURNS, _MIN_TURNS_QUOTED, _MIN_TURNS_COMMON = 3, 4, 6
_MIN_KEY_TURN_RATE = 0.3
_MIN_LETTERS, _MIN_LETTER_TURN_RATE = 12, 0.2
_CAMEL_CASE = r"[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*"
_CALLED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_NEXT_LINES = 2
"""Lines of a table behind its heading."""


def mask_telling_lines(text: str, mask: str) -> str:
    """Put `mask` in place of what looks drawn in lines that tell of a secret."""
    if not _has_telling_word(text):
        return text
    lines = text.split("\n")
    block: int | None = None  # the indentation of the line that opens a block of secrets
    told = -_NEXT_LINES - 1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if block is not None and indent <= block and line.strip():
            block = None
        tells = _has_telling_word(line)
        told = number if tells else told
        if number - told <= _NEXT_LINES or block is not None:
            alone = number - told == 1 and len(line.split()) == 1
            lines[number] = _mask_line(line, mask, keys=tells or alone or block is not None)
        if tells and block is None and line.rstrip().endswith(_OPENING):
            block = indent
    return "\n".join(lines)


def mask_quoted_passwords(text: str, mask: str) -> str:
    """The same for strings of code whose shape alone is that of a password."""
    if "'" not in text and '"' not in text:
        return text

    def hide(match: re.Match[str]) -> str:
        signs = re.sub(_COMMON_SIGNS, "", match[0])
        rare = any(sign in signs for sign in _SIGNS)
        least = _MIN_TURNS_QUOTED if rare else _MIN_TURNS_COMMON
        return mask if _is_drawn_password(match[0], least) else match[0]

    def hide_key(match: re.Match[str]) -> str:
        rate = count_turns(match[0]) / len(match[0])
        drawn = has_three_classes(match[0]) and rate >= _MIN_KEY_TURN_RATE
        return mask if drawn and not looks_named(match[0]) else match[0]

    return re.sub(_QUOTED, hide, re.sub(_DRAWN_KEY, hide_key, text))


def _has_telling_word(text: str) -> bool:
    lower = text.lower()
    for word in _ASCII:  # a generator takes three times as long
        if word in lower:
            return True
    return not lower.isascii() and any(word in lower for word in _NOT_ASCII)


def _mask_line(line: str, mask: str, *, keys: bool) -> str:
    """With `keys` also what only has hexadecimal digits."""
    keys = keys and re.search(_HASH_WORDS, line) is None

    def hide(match: re.Match[str]) -> str:
        quote = re.match(_ENCODED_QUOTE, match[0])
        begin = quote.end() if quote else 0
        word = re.split(_ENCODED_QUOTE, match[0][begin:])[0]
        user = re.match(_USER_BEFORE, word)
        if user:
            begin, word = begin + user.end(), word[user.end() :]
        bare = word.rstrip(".!?*")
        least = _MIN_TURNS_QUOTED if user else _MIN_TURNS
        if match.string[match.end() :][:1] == "(" and re.fullmatch(_CALLED, bare):
            return match[0]
        hexadecimal = keys and not user and re.fullmatch(_HEX_KEY, bare)
        if _is_drawn_password(bare, least) or hexadecimal:
            return match[0][:begin] + mask + match[0][begin + len(word) :]
        return match[0]

    return re.sub(_WORD, hide, line)


def _is_drawn_password(word: str, least: int) -> bool:
    """Are there letters of both cases, digits and many turns, and is it no name of anything?"""
    signs = sum(sign in _SIGNS for sign in word) + ("_" in word or "-" in word)
    if (
        not (has_three_classes(word) or _has_many_turns(word))
        or count_turns(word) + signs < least
        or re.match(_NOT_DRAWN, word)
    ):
        return False
    return not (is_number_or_version(word) or is_path(word) or "/" in word or looks_named(word))


def _has_many_turns(word: str) -> bool:
    """Letters of both cases alone, in no order of which a name in camel case is made."""
    if len(word) < _MIN_LETTERS or not word.isalpha() or re.fullmatch(_CAMEL_CASE, word):
        return False
    return count_turns(word) / len(word) >= _MIN_LETTER_TURN_RATE
