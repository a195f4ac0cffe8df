"""Passwords in tables: below a heading that names them, or beside a name that is far away."""

import re

from pipedoctor.privacy.secret_names import NameStrength, judge_name

# Texts, not compiled: few reports hold any of these, and compiling takes its time.
_HEADING = r"(?i)\b(?:pass(?:word|wd|phrase|code)?|pwd|secret)\b"
_CELL = r"[^\s|](?:[^|\n]*?[^\s|])?(?=\s*\||\s{2,}|\t|\s*$)"
_BESIDE = r"(?i)user|login|account|host|server|service|name|url|email|database|\bdb\b|role"
_PERSON = r"(?i)user|login|account"
"""Beside it *pass* is a password, and no number of tests."""
_FAR_VALUE = (
    r"(?im)(^[ \t]*(?:password|passwd|passphrase|passcode|secret(?:[ _-]?key)?|api[ _-]?key"
    r"|access[ _-]?key)(?:[ \t]{2,}|\t))(?!<)(\S+)(?=[ \t]*$)"
)
_USER_LINE = r"(?im)^[ \t]*(?:user(?:[ _]?name)?|login|account)(?:[ \t]{2,}|\t)\S+[ \t]*$"
_MAX_HEADING = 200
_MAX_ROWS = 200


def mask_tables(text: str, mask: str) -> str:
    """Put `mask` in place of each password of a column, and of a value aligned far behind it."""
    if not re.search(_HEADING, text):
        return text
    text = _mask_far_values(text, mask)
    if "\n" not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        places = _find_columns(line)
        for row in range(number + 1, min(len(lines), number + 1 + _MAX_ROWS) if places else 0):
            if not lines[row].strip():
                break
            lines[row] = _mask_cells(lines[row], places, mask)
    return "\n".join(lines)


def _mask_far_values(text: str, mask: str) -> str:
    named = re.search(_USER_LINE, text) is not None

    def hide(match: re.Match[str]) -> str:
        told = named or re.search(r"[\d!@#$%^&*_+-]", match[2]) is not None
        return match[1] + mask if told and judge_name(match[2]) is NameStrength.NONE else match[0]

    return re.sub(_FAR_VALUE, hide, text)


def _find_columns(line: str) -> list[tuple[int, int]]:
    """Number and begin of each column of passwords, if this is the heading of a table."""
    if len(line) > _MAX_HEADING or ":" in line or "=" in line or not re.search(_HEADING, line):
        return []
    cells = list(re.finditer(_CELL, line))
    others = [cell for cell in cells if re.search(_BESIDE, cell[0])]
    if len(cells) < 2 or not others or any(len(cell[0].split()) > 3 for cell in cells):  # noqa: PLR2004
        return []
    found = [(n, cell) for n, cell in enumerate(cells) if re.fullmatch(_HEADING, cell[0])]
    people = any(re.search(_PERSON, cell[0]) for cell in others)
    return [(n, cell.start()) for n, cell in found if people or cell[0].lower() != "pass"]


def _mask_cells(line: str, places: list[tuple[int, int]], mask: str) -> str:
    cells = list(re.finditer(_CELL, line))
    for number, begin in reversed(places):
        cell = next((one for one in cells if one.start() == begin), None)
        cell = cell or (cells[number] if number < len(cells) else None)
        if cell is not None and not re.fullmatch(
            r"[-=+:*.<>]+|<secret>|(?i:none|null|n/a|yes|no)", cell[0]
        ):
            line = line[: cell.start()] + mask + line[cell.end() :]
    return line
