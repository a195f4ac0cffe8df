"""Secrets by their form: whatever looks like one never reaches a report."""

import functools
import re

MASK = "<secret>"

_JOINED = r"[a-z0-9]{0,40}(?:passwd|password|passphrase|apikey|accesskey|accountkey)"
"""Words that mean a secret also at the end of another: ``PGPASSWORD``."""
_WORD = f"(?:{_JOINED}|key|token|secret|credentials?|(?<=[_-])pass)"
_WORDS = ("key", "token", "secret", "pass", "credential")
_SHORTEST = 11
"""Letters of the shortest token: ``hf_`` and eight more."""
_NAME = f"(?:[a-z0-9]{{1,40}}[_-]){{0,6}}{_WORD}(?:[_-][a-z0-9]{{1,40}}){{0,6}}"
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"',;&]+)"""

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_NAMED = f"(?i){_NAME}"
_ASSIGNED = rf"(?i)(?<![a-z0-9])({_NAME}\s?=\s?|--{_NAME}\s){_VALUE}"
_SAID = (
    rf"(?i)(?<![a-z0-9])((?:{_JOINED}|[a-z0-9_-]{{1,80}}[_-](?:key|token|secret|pass))"
    rf"""["']?:\s?){_VALUE}"""
)
"""After a colon only names that mean nothing else: ``key: conv1`` is no secret."""
_IN_URL = r"(://[^/\s:@]*:)(?!\d+/)[^\s@]{1,500}(?=@)"
_ALONE_IN_URL = r"(://)(?=[^/\s:@]*\d)[\w-]{12,}(?=@)"
_IN_PATH = r"(://\S{0,200}/t/)[^/\s?#]{4,}(?=[/\s?#]|$)"
_WEBHOOK = r"(hooks\.slack\.com/services/|/api/webhooks/\d+/)[^\s?#]+"
_IN_QUERY = r"(?i)([?&#;][\w-]*(?:sig|signature|credential|auth|jwt)=)[^&\s#'\"]+"
_BEARER = r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}"
_NETRC = r"(login\s+\S+\s+password\s+)\S+"
_SCHEME = r"(?:(?:negotiate|aws4-hmac-sha256|googlelogin|[\w-]{1,7})\s+)?"
"""A word so short is no token: it says of which kind the next one is."""
_AUTHORIZATION = (
    rf"(?i)(authorization[\"']?\s?[:=]\s?[\"']?{_SCHEME})(?!<secret>)[\w.~+/=-]{{8,}}"
)
_PRIVATE_KEY = r"(?s)(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----).*?(?=-----END|\Z)"
_TOKEN = re.compile(
    r"""\b(?:
        hf_[A-Za-z0-9]{8,} | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_\w{16,}
      | (?:hf|gh[pousr])-[A-Za-z0-9]{30,}  # as a name of a package is normalised
      | glpat-[\w-]{16,} | A[KS]IA[A-Z0-9]{12,} | xox[abeprs]-[\w-]{8,}
      | sk-[\w-]{16,} | nvapi-[\w-]{16,} | pypi-[\w-]{16,}
      | AIza[\w-]{30,} | ya29\.[\w-]{16,} | do[opr]_v1_[a-f0-9]{32,}
      | npm_[A-Za-z0-9]{30,} | [rs]k_(?:live|test)_\w{16,} | r8_[A-Za-z0-9]{30,}
      | SG\.[\w-]{16,}\.[\w-]{16,} | AAAA[BC]3Nza[\w+/]{16,}={0,2}
      | eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*
    )""",
    re.VERBOSE,
)


def mask(text: str) -> str:
    """Put ``<secret>`` in place of every token and password; keep their names."""
    if "-----BEGIN" in text:
        text = re.sub(_PRIVATE_KEY, rf"\1{MASK}", text)
    if ("=" in text or "--" in text) and _hints(text):
        text = re.sub(_ASSIGNED, rf"\1{MASK}", text)
    if ":" in text:
        text = _after_colons(text)
    if "login" in text:
        text = re.sub(_NETRC, rf"\1{MASK}", text)
    if "earer " in (lower := text.lower()):
        text = re.sub(_BEARER, rf"\1{MASK}", text)
    if "authorization" in lower:
        text = re.sub(_AUTHORIZATION, rf"\1{MASK}", text)
    return _TOKEN.sub(MASK, text) if len(text) >= _SHORTEST else text


def _after_colons(text: str) -> str:
    if _hints(text):
        text = re.sub(_SAID, rf"\1{MASK}", text)
    if "://" in text:
        for form in (_IN_URL, _ALONE_IN_URL, _IN_PATH, _WEBHOOK, _IN_QUERY):
            text = re.sub(form, rf"\1{MASK}", text)
    return text


@functools.lru_cache(maxsize=1024)
def names_secret(name: str) -> bool:
    """Is a variable of this name a secret: ``WANDB_API_KEY``, but not ``KEYBOARD``?"""
    return _hints(name) and bool(re.fullmatch(_NAMED, name))


def _hints(text: str) -> bool:
    lower = text.lower()
    for word in _WORDS:  # noqa: SIM110  (a generator takes four times as long)
        if word in lower:
            return True
    return False
