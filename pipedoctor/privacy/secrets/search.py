"""Secrets by their form and by their names: whatever looks like one never leaves."""

import functools
import re

from pipedoctor.privacy.mark_index import MarkIndex
from pipedoctor.privacy.marked_lines import replace_near_marks
from pipedoctor.privacy.secrets.argument_lists import mask_argument_lists
from pipedoctor.privacy.secrets.assignments import mask_assigned, may_hold_assignment
from pipedoctor.privacy.secrets.command_forms import COMMAND_FORMS
from pipedoctor.privacy.secrets.connection_forms import CONNECTION_FORMS
from pipedoctor.privacy.secrets.drawn_words import MIN_DRAWN
from pipedoctor.privacy.secrets.input_forms import INPUT_FORMS
from pipedoctor.privacy.secrets.printed_secrets import PRINTED_FORMS
from pipedoctor.privacy.secrets.randomness import MIN_RANDOM_RUN, mask_random
from pipedoctor.privacy.secrets.record_forms import RECORD_FORMS
from pipedoctor.privacy.secrets.secret_names import NameStrength, judge_name
from pipedoctor.privacy.secrets.secret_tables import mask_manifests, mask_tables
from pipedoctor.privacy.secrets.secret_values import is_secret_value
from pipedoctor.privacy.secrets.spoken_forms import SPOKEN_FORMS
from pipedoctor.privacy.secrets.telling_lines import (
    MIN_TELLING,
    mask_quoted_passwords,
    mask_telling_lines,
)
from pipedoctor.privacy.secrets.tokens import mask_tokens, split_words
from pipedoctor.privacy.secrets.unnamed_secrets import mask_unnamed

MASK = "<secret>"

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_EXAMPLE = (
    r"(?!(?i:(?<=://:)|(?<=user:)|(?<=username:))(?i:password|passwd|pass|pwd)@"
    r"|\{[\w.]{1,40}\}@|\$\{\w+\}@|%s@|%\(\w+\)s@)"
)
"""As documentation writes a password: ``user:password@``, and code: ``{user}:{password}@``."""
_IN_URL = rf"(://[^/\s:]{{0,200}}:)(?!\d+/|<[\w-]+>@){_EXAMPLE}[^\s@]{{1,500}}(?=@)"
_ALONE_IN_URL = r"(://)(?=[^/\s:@]{0,200}\d)[\w-]{12,}(?=@)"
_IN_ENCODED_URL = r"(?i)(%3a%2f%2f[\w.-]{0,80}%3a)[^\s@]{1,200}?(?=%40)"
_IN_PATH = r"(://\S{0,200}/t/)[^/\s?#]{4,}(?=[/\s?#]|$)"
_WEBHOOK = (
    r"(hooks\.slack\.com/(?:services|workflows|triggers)/|/api/webhooks/|/webhookb2/"
    r"|api\.day\.app/|sctapi\.ftqq\.com/|hooks\.zapier\.com/hooks/catch/|/open-apis/bot/v2/hook/"
    r"|webhook/send\?key=)[^\s?#\"'<]+"
)
_IN_QUERY = (
    r"(?i)([?&#;](?:[\w-]*(?:sig|signature|credential|auth|jwt|key-pair-id)=|(?:code|sid|session"
    r"|key|state|nonce|ticket)="
    r"(?=[^&\s#]{0,200}\d)(?=[^&\s#]{8})))[^&\s#'\"]+"
)
_BEARER = (
    r"(?i)(?:\b|(?<=%20))(bearer(?:[\s:]|%20)\s{0,2})(?!(?-i:[A-Za-z]?[a-z]+(?:-[a-z]+){0,3})"
    r"(?:[\s.,;!?)]|$)"
    r"|realm=)[\w.~+/=-]{8,}"
)
"""A word of a sentence is no token: *use Bearer authentication*."""
_BASIC = r"(?i)\b(basic\s)(?=[A-Za-z+/]*[0-9=])[A-Za-z0-9+/]{8,}={0,2}(?=[\s\"',;]|$)"
_SCHEME = r"(?:(?:negotiate|aws4-hmac-sha256|googlelogin|[\w-]{1,7})\s+)?"
"""A word so short is no token: it says of which kind the next one is."""
_AUTHORIZATION = (
    r"(?i)(authorization[\"']?\s?[:=]\s?[\"']?(?!(?:not?|is|was|header|must|has)\s)"
    rf"{_SCHEME})(?!<secret>)(?![\w-]+(?:\s<secret>"
    rf"|=[\"']))(?!none\b|null\b)"
    r"[\w.~+/=-]{8,}"
)
_DIGEST = r"(\bresponse=[\"']?)[0-9a-f]{32,}"
"""A hash of the password, as HTTP sends it."""
_PRIVATE_KEY = r"(?s)(-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----).*?(?=-----END|\Z)"
_SEALED = r"(\$ANSIBLE_VAULT;[\w.;-]{1,80})(?:\s+[0-9a-f]{16,})+"
"""What is encrypted with a passphrase that many have and few change."""
_COMMAND_SIGNS = (
    " ",
    "$",
    "('",
    '("',
    'pin"',
    ":5432:",
    "oracle:",
    "wandb:",
    "pbkdf2",
    "::",
    "vso",
    "ode=",
    'ode"',
    "@",
)
"""One of these stands in every command, call and record that holds a secret."""
_MARKED_FORMS = (
    (("-----BEGIN",), (_PRIVATE_KEY,)),
    (("$ANSIBLE",), (_SEALED,)),
    (("://",), (_IN_URL, _ALONE_IN_URL, _IN_PATH, _WEBHOOK, _IN_QUERY)),
    (("hooks.slack.com",), (_WEBHOOK,)),
    (("%2F%2F", "%2f%2f"), (_IN_ENCODED_URL,)),
    (("earer", "EARER"), (_BEARER,)),
    (("uthorization", "UTHORIZATION"), (_AUTHORIZATION,)),
    (("igest ",), (_DIGEST,)),
    (("asic ",), (_BASIC,)),
)
"""What is looked for only where one of these marks stands."""
_ALL_FORMS = (
    *(*COMMAND_FORMS, *INPUT_FORMS, *CONNECTION_FORMS),
    *(*SPOKEN_FORMS, *PRINTED_FORMS, *RECORD_FORMS),
)


def mask_secrets(text: str) -> str:
    """Put ``<secret>`` in place of every token and password; keep their names."""
    for marks, forms in _MARKED_FORMS:
        for mark in marks:
            if mark in text:
                for form in forms:
                    text = re.sub(form, rf"\1{MASK}", text)
                break
    if text[:1] == "-" or any(sign in text for sign in _COMMAND_SIGNS) or not text.isascii():
        text = _mask_commands(text)
    text = mask_argument_lists(text, MASK, _mask_line_of_command)
    words = split_words(text)
    longest = len(text) if words is None else max(map(len, words), default=0)
    text = mask_tokens(text, words, longest, MASK)
    if may_hold_assignment(text):
        text = mask_assigned(text, MASK)
    if len(text) >= MIN_TELLING:
        text = mask_tables(mask_manifests(text, MASK), MASK)
        text = mask_quoted_passwords(mask_telling_lines(text, MASK), MASK)
    text = mask_random(text, MASK) if longest >= MIN_RANDOM_RUN else text
    return mask_unnamed(text, MASK) if len(text) >= MIN_DRAWN else text


def _mask_line_of_command(line: str) -> str:
    """What names and options of a command tell of its arguments."""
    line = _mask_commands(line)
    return mask_assigned(line, MASK) if may_hold_assignment(line) else line


def _mask_commands(text: str) -> str:
    """
    Mask secrets that no name stands beside: ``curl -u bob:x``, ``-px``.

    Where each command takes its secret is in `command_forms`.
    """
    options = " -" in text or text[:1] == "-" or "'-p" in text or '"-p' in text
    for number in sorted(_index_forms().find_rows(text)):
        form = _ALL_FORMS[number]
        if options or not form.has_option:
            text = replace_near_marks(form.pattern, form.marks, _mask_behind_group, text)
    return text


@functools.cache
def _index_forms() -> MarkIndex:
    return MarkIndex((number, form.marks) for number, form in enumerate(_ALL_FORMS))


def _mask_behind_group(match: re.Match[str]) -> str:
    return f"{match[1]}{MASK}"


def is_secret_name(name: str) -> bool:
    """May a variable of this name be a secret: ``WANDB_API_KEY``, but not ``KEYBOARD``?"""
    return judge_name(name) is not NameStrength.NONE


def mask_field(name: str, value: str) -> str:
    """What may be shown of the value of a field or variable."""
    return MASK if is_secret_value(value, judge_name(name)) else mask_secrets(value)
