"""Passwords in tables: below a heading that names them, or beside a name that is far away."""

import re
from collections.abc import Sequence

from pipedoctor.privacy.secrets.secret_names import NameStrength, judge_name
from pipedoctor.privacy.secrets.secret_values import is_secret_value, looks_drawn
from pipedoctor.privacy.table_columns import Cell, find_cells

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_HEADING = (
    r"(?i)\b(?:pass(?:word|wd|phrase|code)?|pwd|secret|(?:api|access|auth)?[ _-]?token"
    r"|api[ _-]?key)\b"
)
_BESIDE = r"(?i)user|login|account|host|server|service|name|url|email|database|\bdb\b|role"
_PERSON = r"(?i)user|login|account"
"""Beside it *pass* is a password, and no number of tests."""
_FAR_VALUE = (
    r"(?im)(^[ \t]*(?:password|passwd|passphrase|passcode|secret(?:[ _-]?key)?|api[ _-]?key"
    r"|access[ _-]?key)(?:[ \t]{2,}|\t))(?!<)(\S+)(?=[ \t]*$)"
)
_USER_LINE = r"(?im)^[ \t]*(?:user(?:[ _]?name)?|login|account)(?:[ \t]{2,}|\t)\S+[ \t]*$"
_NAMES = (
    r"(?i)(?:(?:env(?:ironment)?|config)[ _-]?)?(?:name|key|var(?:iable)?|env|setting"
    r"|option|param(?:eter)?|property|field)(?:[ _-]?name)?"
)
_VALUES = (
    r"(?i)(?:current|default|effective|new|old|set)?[ _-]?"
    r"(?:values?|setting|current|default|content)"
)
_HAS_VALUES = r"(?i)\b(?:\w*value|current|setting|default|content)s?\b"
_OF_SECRETS = r"\\?[\"']?kind\\?[\"']?\s?:\s?\\?[\"']?Secret\b(?![\w-])"
_DATA = (
    r"(?m)^(?P<indent>[ \t]*)(?:- )?(?:data|stringData):[ \t]*\n"
    r"(?:(?P=indent)[ \t]+\S[^\n]*(?:\n|\Z))+"
    r"|\\?\"(?:data|stringData)\\?\"\s?:\s?\{[^{}]*\}"
)
_OF_DATA = (
    r"(?m)(^[ \t]+[\w.\"'-]+:[ \t]+[\"']?|[{,]\s*\\?\"[\w.-]+\\?\"\s?:\s?\\?\")"
    r"(?![|>{<]|\d+ bytes)[^\s\"',}\\][^\n\"'\\]*"
)
_NO_VALUE = r"[-=+:*.<>]*|<secret>|(?i:none|null|n/a|yes|no)"


def mask_tables(text: str, mask: str) -> str:
    """Put `mask` in place of each password of a column, and of a value aligned far behind it."""
    columns = "\n" in text or "  " in text or "\t" in text
    if columns and "\n" in text and re.search(_HAS_VALUES, text):
        text = _mask_named_rows(text, mask)
    if not columns or not re.search(_HEADING, text):
        return text
    text = _mask_far_values(text, mask)
    if "\n" not in text:
        return text
    lines = text.split("\n")
    return _mask_cells(lines, list(find_cells(lines, _judge_headings)), mask)


def mask_manifests(text: str, mask: str) -> str:
    """Put `mask` in place of all that a Secret of Kubernetes holds, whatever its keys say."""
    if "Secret" not in text or not re.search(_OF_SECRETS, text):
        return text
    return re.sub(_DATA, lambda block: re.sub(_OF_DATA, rf"\1{mask}", block[0]), text)


def _mask_cells(lines: list[str], cells: Sequence[Cell], mask: str) -> str:
    for cell in reversed(cells):
        line = lines[cell.line]
        content = line[cell.begin : cell.end]
        drawn = cell.kind != "token" or looks_drawn(content)
        if drawn and not re.fullmatch(_NO_VALUE, content):
            lines[cell.line] = line[: cell.begin] + mask + line[cell.end :]
    return "\n".join(lines)


def _mask_named_rows(text: str, mask: str) -> str:
    """Values of tables that have a column of names: the name in a row says what its value is."""
    lines = text.split("\n")
    strengths: dict[int, NameStrength] = {}
    secrets: list[Cell] = []
    for cell in find_cells(lines, _judge_pairs):
        content = lines[cell.line][cell.begin : cell.end]
        if cell.kind == "name":
            strengths[cell.line] = judge_name(content)
        elif is_secret_value(content, strengths.get(cell.line, NameStrength.NONE)):
            secrets.append(cell)
    return _mask_cells(lines, secrets, mask)


def _judge_pairs(texts: list[str]) -> list[str]:
    """The column of names, and those of values behind it."""
    named = next((n for n, text in enumerate(texts) if re.fullmatch(_NAMES, text)), len(texts))
    kinds = [
        "name" if n == named else "value" if n > named and re.fullmatch(_VALUES, text) else ""
        for n, text in enumerate(texts)
    ]
    return kinds if "value" in kinds else []


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
        ("token" if "token" in text.lower() else "secret")
        if re.fullmatch(_HEADING, text) and (people or text.lower() != "pass")
        else ""
        for text in texts
    ]
