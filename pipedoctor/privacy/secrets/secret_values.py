"""What stands beside the name of a secret: a secret, or plainly something else."""

import re

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.secrets.randomness import count_turns, has_three_classes
from pipedoctor.privacy.secrets.secret_names import NameStrength

_NOTHING = frozenset(
    "true false none null nil nan undefined yes no on off n/a na unset empty missing required"  # noqa: SIM905
    " optional default invalid expired redacted hidden masked not set unknown str string int bool"
    " bytes any object float secret password passwd token key auto disabled enabled basic bearer"
    " digest negotiate ntlm kerberos md5 sha256 scram-sha-256 trust peer anonymous public private"
    " incorrect wrong correct changed encrypted optional[str] secretstr environ os.environ used"
    " needed being stored hashed a an the weak ignored read sent in only also passed provided given"
    " taken too it file stdin prompt never always ok ready and or was is are has for with from"
    " oder und must should does did failed error exception mismatch to of at by authentication"
    " files does login verification forward backward first second cookie cookies ist sensitive"
    " known via when if but because using into without option flag argument may can cannot will"
    " would could requires timeout timed aborted cancelled canceled interrupted denied rejected"
    " leave closed prompted permission".split()
)
_MODES = frozenset(
    "include omit same-origin cross-origin using file files chain local environment static"  # noqa: SIM905
    " instance-profile dynamic ambient implicit interactive service-account metadata write"
    " workload-identity".split()
)
"""Where credentials come from, or whether HTTP sends them."""
_PLACEHOLDER = compile_lazily(
    r"<[^>]*>?|[*.#•_?-]+|[|>][+-]?|\{[\"']?[\w.-]+[\"']?:|[xX]{3,}|\[(?i:redacted|hidden|masked"
    r"|filtered)\]|[\w-]{0,12}(?:\.\.\.|…)|[()\[\]{},:]+"
    r"|[A-Za-z][A-Za-z-]{0,11}[_-](?:[xX*.]{3}|(?:([xX0*.])\1{4,}[_-]?)+)"
    r"|(?i:your|insert|put|enter|example|todo|placeholder|dummy"
    r"|(?:change|replace|fill)[-_ ]?(?:me|this|it))(?:[-_ ].*)?"
)
_REFERENCE = compile_lazily(
    r"\$(?:\{|\(|[A-Z_][A-Z0-9_]*(?![a-z])|[a-z_]+(?![\w$]))|%[A-Z_][A-Z0-9_]*%|%[sdr](?!\w)|%\("
    r"|\{\{|\{[A-Za-z_][\w.]*\}|@[A-Za-z]+\("
)
"""Something that stands for the value: ``$TOKEN``, ``%s``, ``{{ token }}``."""
_CODE = compile_lazily(
    r"(?:self|args?|cfg|config|conf|settings|opts?|options|os|env|environ|params|secrets|request"
    r"|req"
    r"|ctx|context|state|tokenizer|model|np|torch|kwargs|FLAGS|this|data|app|cls"
    r"|process)\.[A-Za-z_]"
    r"|[A-Za-z_][A-Za-z_.]*[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]\w*)+\(|lambda$"
)
"""What an unquoted value of code is: ``self.token``, ``get_token(...)``."""
_UNIT = (
    r"(?:[kmgt]?i?b|[kmbt]|ms|us|s|secs?|seconds?|mins?|h|hours?|d|days?|px|tok(?:ens?)?|%|x)"
    r"(?:/s)?"
)
_NUMBER = compile_lazily(
    rf"[+-]?(?:\d[\d_,]*\.?\d*(?:e[+-]?\d+)?|\.\d+|0x[0-9a-f]{{1,8}}|\d+/\d+)\s?(?:{_UNIT})?",
    re.IGNORECASE,
)
_VERSION = compile_lazily(
    r"[v=<>~^!]{0,3}\d+(?:\.\d+)+(?:[.+-]?[a-z]{1,5}[\w.+-]{0,20})?", re.IGNORECASE
)
_PATH = compile_lazily(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+ -]+)+[/\\]?")
_TEST = compile_lazily(
    r"(?:[\w.-]+/)*[\w.-]+\.[a-z]{1,4}::\S+|(?:[\w.-]+/)+[\w-]+\.(?:py|cc|cpp|cu|sh|js)"
)
"""As pytest names one: ``PASS: tests/x.py::test_y``."""
_ATTRIBUTE = compile_lazily(r"(?=[a-z.]*_)[a-z]+(?:_[a-z]+)*(?:\.[a-z]+(?:_[a-z]+)*)+")
"""Of what a registry holds: ``transforms.random_crop``."""
_FOLDER = compile_lazily(r"/[a-z][a-z0-9_-]{0,20}")
_URL = compile_lazily(r"[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_CAPITALS = compile_lazily(r"(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{16,}")
_LONG_HEX = compile_lazily(r"[0-9a-f]{32,}")
_CONTENT_KEY = compile_lazily(r"-[0-9a-f]{64}$|-[0-9a-f]{40}$")
"""Behind a name: the hash of what a cache holds, ``Linux-pip-<hash>``."""
_MANY_DIGITS = 6
_MIN_WEAK_LENGTH = 6
_LONG = 16
_MIN_TURNS = 2
_MAX_PATH_TURN_RATE = 0.25


def is_harmless(value: str, *, quoted: bool) -> bool:
    """Is this plainly no secret, whatever the name beside it says?"""
    if not value or value.lower() in _NOTHING or _PLACEHOLDER.fullmatch(value):
        return True
    if _REFERENCE.match(value) or _URL.match(value) or value.startswith("-----BEGIN"):
        return True
    if not quoted and _CODE.match(value):
        return True
    return is_path(value) or _TEST.fullmatch(value) is not None


def is_placeholder(value: str) -> bool:
    """Does it stand for a secret: ``hf_xxxxxxxx``, ``<token>``, ``changeme``?"""
    return _PLACEHOLDER.fullmatch(value) is not None


def is_path(value: str) -> bool:
    """Is it a path, not a key in base 64 that holds slashes?"""
    if value == "/" or _FOLDER.fullmatch(value):
        return True
    if not _PATH.fullmatch(value) or value.count("/") + value.count("\\") < _MIN_TURNS:
        return False
    turns = count_turns(value) / len(value)
    return turns <= _MAX_PATH_TURN_RATE or not has_three_classes(value)


def is_number_or_version(value: str) -> bool:
    """Is it a count, a size, a version?"""
    return bool(_NUMBER.fullmatch(value) or _VERSION.fullmatch(value))


_LARGEST_COUNT = 2
"""Digits of a number that is no password: ``pw=3``, ``pass: 12``."""


def is_secret_value(value: str, strength: NameStrength, *, quoted: bool = True) -> bool:
    """Is it to be hidden beside a name of this strength?"""
    if strength is NameStrength.NONE or is_harmless(value, quoted=quoted):
        return False
    if strength is NameStrength.PASSWORD:
        return not (value.isdigit() and len(value) <= _LARGEST_COUNT)
    if is_number_or_version(value) or _ATTRIBUTE.fullmatch(value) or value in _MODES:
        return False
    return strength is NameStrength.STRONG or looks_drawn(value)


def looks_drawn(value: str) -> bool:
    """
    Does it look like a key although the name beside it may mean anything?

    Words, names with a number at their end and paths of attributes do not.
    """
    if len(value) < _MIN_WEAK_LENGTH or " " in value or is_number_or_version(value):
        return False
    if (named := _CONTENT_KEY.sub("", value)) != value and (looks_named(named) or named.isalpha()):
        return False
    if _LONG_HEX.fullmatch(value) or sum(map(str.isdigit, value)) >= _MANY_DIGITS:
        return not (value.isdigit() or looks_named(value))
    if _CAPITALS.fullmatch(value):
        return True
    turns = count_turns(value)
    if len(value) >= _LONG:
        return turns / len(value) >= 0.12 and not looks_named(value)  # noqa: PLR2004
    return turns >= _MIN_TURNS and not looks_named(value)


def is_likely_password(value: str) -> bool:
    """Are there letters and digits in it, so that it is no word of a sentence?"""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and len(value) >= _MIN_WEAK_LENGTH and not is_number_or_version(value)


def looks_named(value: str) -> bool:
    """Parts between separators that are words or numbers: ``layer1.conv2``."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    return len(parts) > 1 and all(
        part.isdigit() or re.fullmatch(r"[A-Z]?[a-z]+\d{0,3}|[A-Z]+\d{0,2}", part) for part in parts
    )
