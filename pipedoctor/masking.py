"""Secrets by their form: whatever looks like one never reaches a report."""

import re

MASK = "<secret>"

_WORD = "(?:key|token|secret|passwd|password|passphrase|apikey|credentials?)"
_NAME = f"(?:[a-z0-9]{{1,40}}[_-]){{0,6}}{_WORD}(?:[_-][a-z0-9]{{1,40}}){{0,6}}"
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"',;&]+)"""

_NAMED = re.compile(_NAME, re.IGNORECASE)
_ASSIGNED = re.compile(
    rf"(?<![a-z0-9])({_NAME}\s?=\s?|--{_NAME}\s){_VALUE}", re.IGNORECASE
)
_IN_URL = re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)")
_BEARER = re.compile(r"\b(bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
_TOKEN = re.compile(
    r"""\b(?:
        hf_[A-Za-z0-9]{8,} | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{16,}
      | glpat-[\w-]{16,} | A[KS]IA[A-Z0-9]{12,} | xox[abeprs]-[\w-]{8,}
      | sk-[\w-]{16,} | nvapi-[\w-]{16,} | pypi-[\w-]{16,}
      | eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*
    )""",
    re.VERBOSE,
)


def mask(text: str) -> str:
    """Put ``<secret>`` in place of every token and password; keep their names."""
    if "=" in text or "--" in text:
        text = _ASSIGNED.sub(rf"\1{MASK}", text)
    if "://" in text:
        text = _IN_URL.sub(rf"\1{MASK}", text)
    if " " in text:
        text = _BEARER.sub(rf"\1{MASK}", text)
    return _TOKEN.sub(MASK, text)


def names_secret(name: str) -> bool:
    """Is a variable of this name a secret: ``WANDB_API_KEY``, but not ``KEYBOARD``?"""
    return bool(_NAMED.fullmatch(name))
