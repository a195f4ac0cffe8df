"""Passwords in tables: below a heading that names them, or beside a name that is far away."""

import re

from pipedoctor.privacy.secret_names import NameStrength, judge_name
from pipedoctor.privacy.table_columns import find_cells

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_HEADING = r"(?i)\b(?:pass(?:word|wd|phrase|code)?|pwd|secret)\b"
_BESIDE = r"(?i)user|login|account|host|server|service|name|url|email|database|\bdb\b|role"
_PERSON = r"(?i)user|login|account"
"""Beside it *pass* is a password, and no number of tests."""
_FAR_VALUE = (
    r"(?im)(^[ \t]*(?:password|passwd|passphrase|passcode|secret(?:[ _-]?key)?|api[ _-]?key"
    r"|access[ _-]?key)(?:[ \t]{2,}|\t))(?!<)(\S+)(?=[ \t]*$)"
)
_USER_LINE = r"(?im)^[ \t]*(?:user(?:[ _]?name)?|login|account)(?:[ \t]{2,}|\t)\S+[ \t]*$"
_NO_VALUE = r"[-=+:*.<>]*|<secret>|(?i:none|null|n/a|yes|no)"


def mask_tables(text: str, mask: str) -> str:
    """Put `mask` in place of each password of a column, and of a value aligned far behind it."""
    columns = "\n" in text or "  " in text or "\t" in text
    if not columns or not re.search(_HEADING, text):
        return text
    text = _mask_far_values(text, mask)
    if "\n" not in text:
        return text
    lines = text.split("\n")
    for cell in reversed(list(find_cells(lines, _judge_headings))):
        line = lines[cell.line]
        if not re.fullmatch(_NO_VALUE, line[cell.begin : cell.end]):
            lines[cell.line] = line[: cell.begin] + mask + line[cell.end :]
    return "\n".join(lines)


def _mask_far_values(text: str, mask: str) -> str:
    named = re.search(_USER_LINE, text) is not None

    def hide(match: re.Match[str]) -> str:
        told = named or re.search(r"[\d!@#$%^&*_+-]", match[2]) is not None
        return match[1] + mask if told and judge_name(match[2]) is NameStrength.NONE else match[0]

    return re.sub(_FAR_VALUE, hide, text)


def _judge_headings(texts: list[str]) -> list[str]:
    """Which columns hold passwords, if others name an account or a place."""
    others = [text for text in texts if re.search(_BESIDE, text)]
    if not others or any(":" in text or "=" in text for text in texts):
        return []
    people = any(re.search(_PERSON, text) for text in others)
    return [
        "secret" if re.fullmatch(_HEADING, text) and (people or text.lower() != "pass") else ""
        for text in texts
    ]
