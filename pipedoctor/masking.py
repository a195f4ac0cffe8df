"""Secrets by their form: whatever looks like one never reaches a report."""

import re

MASK = "<secret>"

_WORD = "(?:key|token|secret|passwd|password|passphrase|apikey|credentials?)"
_WORDS = ("key", "token", "secret", "pass", "credential")
_SHORTEST = 11
"""Letters of the shortest token: ``hf_`` and eight more."""
_NAME = f"(?:[a-z0-9]{{1,40}}[_-]){{0,6}}{_WORD}(?:[_-][a-z0-9]{{1,40}}){{0,6}}"
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"',;&]+)"""

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_NAMED = f"(?i){_NAME}"
_ASSIGNED = rf"(?i)(?<![a-z0-9])({_NAME}\s?=\s?|--{_NAME}\s){_VALUE}"
_IN_URL = r"(://[^/\s:@]*:)[^/\s@]+(?=@)"
_BEARER = r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}"
_TOKEN = re.compile(
    r"""\b(?:
        hf_[A-Za-z0-9]{8,} | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{16,}
      | (?:hf|gh[pousr])-[A-Za-z0-9]{30,}  # as a name of a package is normalised
      | glpat-[\w-]{16,} | A[KS]IA[A-Z0-9]{12,} | xox[abeprs]-[\w-]{8,}
      | sk-[\w-]{16,} | nvapi-[\w-]{16,} | pypi-[\w-]{16,}
      | eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*
    )""",
    re.VERBOSE,
)


def mask(text: str) -> str:
    """Put ``<secret>`` in place of every token and password; keep their names."""
    if ("=" in text or "--" in text) and _hints(text):
        text = re.sub(_ASSIGNED, rf"\1{MASK}", text)
    if "://" in text:
        text = re.sub(_IN_URL, rf"\1{MASK}", text)
    if "earer " in text.lower():
        text = re.sub(_BEARER, rf"\1{MASK}", text)
    return _TOKEN.sub(MASK, text) if len(text) >= _SHORTEST else text


def names_secret(name: str) -> bool:
    """Is a variable of this name a secret: ``WANDB_API_KEY``, but not ``KEYBOARD``?"""
    return _hints(name) and bool(re.fullmatch(_NAMED, name))


def _hints(text: str) -> bool:
    lower = text.lower()
    return any(word in lower for word in _WORDS)
