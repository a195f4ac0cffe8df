"""Where people and prompts name a secret in words: codes, phrases, other languages."""

from pipedoctor.privacy.secrets.command_form import CommandForm
from pipedoctor.privacy.secrets.foreign_words import (
    FOREIGN_KEYS,
    FOREIGN_PASSWORDS,
    FOREIGN_STATES,
    FOREIGN_VERBS,
    GLUED_VERBS,
    list_spellings,
)
from pipedoctor.privacy.secrets.token_forms import GITLEAKS

_MAN = "https://man7.org/linux/man-pages/man1"
_FOREIGN = list_spellings(FOREIGN_PASSWORDS)
_BESIDE_FOREIGN = (
    rf"(?:\s?[:=\uff1a]\s?|(?:\s(?:{'|'.join(FOREIGN_VERBS)})\s|\s?(?:{'|'.join(GLUED_VERBS)})\s?)"
    r"[:\uff1a]?\s?(?=\S{0,64}[\d!@#$%^&*_+-]))[\"'\u00ab\u201e\u201c\u300c]?"
)
_FOREIGN_VALUE = r"(?!<secret>)[^\s\"'\u00bb\u201c\u201d\u300d]+"

_FOREIGN_KEYS = list_spellings(FOREIGN_KEYS)


def _make_password_form(words: tuple[str, ...]) -> CommandForm:
    return CommandForm(
        words,
        rf"((?:{'|'.join(words)}){_BESIDE_FOREIGN}){_FOREIGN_VALUE}",
        "https://cldr.unicode.org",
        has_option=False,
    )


SPOKEN_FORMS: tuple[CommandForm, ...] = (
    CommandForm(
        (" is the ", " is my ", " is our ", " is your "),
        r"((?:^|(?<=[\s/*#;(\"'`])))(?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])"
        r"(?!<secret>)[^\s\"'`/*#;(]{6,200}"
        r"(?=[\"'`]?\sis\s(?:the|my|our|your)\s(?:[\w-]{1,20}\s){0,3}"
        r"(?:password|passphrase|passcode|token|secret|credential|"
        r"(?:api|access|secret)[ _-]?key)\b)",
        GITLEAKS,
        has_option=False,
    ),
    CommandForm(
        (" key ",),
        r"(\b(?i:the|my|our|your|this)\s(?:[\w-]{1,16}\s)?key\s[\"'`]?)[0-9a-f]{32,40}"
        r"(?![0-9a-zA-Z])",
        GITLEAKS,
        has_option=False,
    ),
    CommandForm(
        ("hrase",),
        r"(?im)(\bpass ?phrase(?:\sis)?\s?[:=]\s?)(?!(?:not?|none|is|was|must|required|missing)\b)"
        r"(?!(?:leave|empty|enter|type|press|optional|if|for|when|your|please|skip|blank|same)\b)"
        r"[a-z]+(?:[ -][a-z]+){3,}(?=[.!]?\s*$)",
        "https://www.eff.org/dice",
        has_option=False,
    ),
    CommandForm(
        ("pin",),
        r"(?m)(^[ \t]*pin(?:_?code)?[ \t]?[:=][ \t]?)\d{4,8}(?=\s*$)",
        "https://www.rfc-editor.org/rfc/rfc7512",
        has_option=False,
    ),
    CommandForm(
        ("pin",),
        r"(\\{0,3}[\"'](?:pin|pincode|pin_code)\\{0,3}[\"']\s?:\s?\\{0,3}[\"'])\d{4,8}"
        r"(?=\\{0,3}[\"'])",
        "https://www.rfc-editor.org/rfc/rfc8259",
        has_option=False,
    ),
    CommandForm(
        (" code", "PIN"),
        r"(\b(?:(?i:2fa|mfa|otp|device|verification|recovery|backup|security|one-time|login|pairing"
        r"|authentication|confirmation|sms|phone|e-?mail|meeting|one time"
        r"|unlock|activation|access|invit(?:e|ation)|enrollment)\s"
        r"(?i:code)|PIN(?:\s(?i:code))?)"
        r"(?:(?:\s(?:for|to|of|from|at|on|in)(?:\s[\w.@'-]{1,30}){1,6})?\s(?:is|was)|\sto)?"
        r"\s?[:=]?\s[\"']?)(?:(?=[\w-]{0,200}\d)(?:\d{3}[ -]\d{3}|\d{4,8}|[\w-]{6,})"
        r"|[A-Z]{4}-[A-Z]{4})(?![\w%-]|\.\w)",
        "https://www.rfc-editor.org/rfc/rfc6238",
        has_option=False,
    ),
    CommandForm(
        ("hrase", "words"),
        r"(?i)(\b(?:seed|recovery|backup|wallet)\s(?:phrase|words)(?:\sis)?\s?[:=]?\s[\"']?)"
        r"[a-z]{3,8}(?:\s[a-z]{3,8}){5,23}(?![\w.])",
        "https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki",
        has_option=False,
    ),
    _make_password_form(tuple(word for word in _FOREIGN if not word.isascii())),
    CommandForm(
        _FOREIGN_KEYS,
        rf"((?:{'|'.join(_FOREIGN_KEYS)}){_BESIDE_FOREIGN})"
        r"(?=\S{16}|\S{0,16}\d\S{0,16}[a-zA-Z]|[a-zA-Z]\S{0,16}\d)"
        rf"{_FOREIGN_VALUE}",
        "https://cldr.unicode.org",
        has_option=False,
    ),
    _make_password_form(tuple(word for word in _FOREIGN if word.isascii())),
    CommandForm(
        tuple(_FOREIGN),
        rf"((?:{'|'.join(_FOREIGN)})\s(?:{'|'.join(FOREIGN_VERBS)})\s)"
        rf"(?!<secret>|(?i:{FOREIGN_STATES}))[^\W\d_]{{5,40}}(?=[.!]?[ \t]*(?:\n|$))",
        "https://cldr.unicode.org",
        has_option=False,
    ),
    CommandForm(
        ("ecovery",),
        r"(?i)(\brecovery\s(?:key|password)\S{0,2}\s{1,3})(?:\d{6}-){7}\d{6}",
        "https://learn.microsoft.com/windows/security/operating-system-security/data-protection/bitlocker/recovery-overview",
        has_option=False,
    ),
    CommandForm(
        ("ommunity",),
        r"((?i:community)(?:\s(?:string|name))?\s?[:= ]\s?[\"']?)(?=\S{0,200}\d)(?!<secret>)"
        r"[^\s\"',;]{6,}",
        "https://www.rfc-editor.org/rfc/rfc1157",
        has_option=False,
    ),
    CommandForm(
        ("_code", "serCode"),
        r"(\b(?:user|device)_?[cC]ode[\"']?\s?[:=]\s?[\"']?)[\w-]{8,}",
        "https://www.rfc-editor.org/rfc/rfc8628",
        has_option=False,
    ),
    CommandForm(
        ("asscode", "ASSCODE", "otp", "OTP"),
        r"(\b(?i:passcode|otp|totp)(?:\s\([^)\n]{1,20}\))?(?:\sis)?\s?[:=]?\s[\"']?)\d{4,10}(?!\w"
        r"|\.\d)",
        "https://www.rfc-editor.org/rfc/rfc6238",
        has_option=False,
    ),
    *(
        CommandForm(
            (f" {word} ", f" {word}: "),
            rf"(\b(?i:password|passwd|passphrase|pass|pw)\b[^\n.]{{0,40}}?\s{word}:?\s[\"'`]?)"
            r"(?!<secret>)(?=[\w.-]{0,40}[\d!#$%^&*~?+A-Z])[^\s\"'`,;]{5,200}",
            GITLEAKS,
            has_option=False,
        )
        for word in ("from", "to")
    ),
    CommandForm(
        (" code ",),
        r"(\b(?i:use|enter|with|your|the)\s(?:the\s|this\s)?code\s)\d{3}[ -]?\d{3}(?![\w.-])",
        "https://www.rfc-editor.org/rfc/rfc6238",
        has_option=False,
    ),
    CommandForm(
        (" / ",),
        r"(\b(?i:basic auth|login|credentials?|creds)\b[^\n/]{0,40}\s/\s)(?!<secret>)"
        r"(?=\S{0,200}\d|\S{9,})[^\s/\"'`]{6,200}",
        "https://www.rfc-editor.org/rfc/rfc7617",
        has_option=False,
    ),
    CommandForm(
        ("ftp ", "curl ", "ssh ", "smb "),
        r"(\b(?:s?ftp|lftp|curl|ssh|smb)\s[A-Za-z_][\w.-]*:)(?!<secret>)[^\s@:/]{4,200}"
        r"(?=@[\w.-]+)",
        f"{_MAN}/ftp.1.html",
        has_option=False,
    ),
)
