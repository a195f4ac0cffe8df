"""Users, hosts and groups in the columns of tables."""

import re

from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.privacy.names.named_values import NamedValue, looks_like_name
from pipedoctor.privacy.table_columns import find_cells

_USER_HEADING = compile_lazily(
    r"(?i:(?:user|owner|login|account|submitter|author|assignee)(?:[ _-]?name)?|(?:r|e)?user"
    r"|(?:created|submitted|started) by)|UID"
)
_HOST_HEADING = compile_lazily(
    r"(?i)(?:exec_|from_|batch_?|req_?)?(?:host|node)(?:[ _-]?name|list)?(?:\(reason\))?|machine"
    r"|server|from|computer"
)
_GROUP_HEADING = compile_lazily(r"(?i)namespace|project|tenant|team|workspace|bucket|group")
_HEADING = (
    r"(?i)(?:squeue|sacct|namespace|project|tenant|team|bucket|user|owner|login|account|author"
    r"|submitter|assignee"
    r"|host|node|machine|server|uid)"
)
_CELL = compile_lazily(r"([A-Za-z_0-9][\w.-]*(?:\[[\d,-]+\])?)(?:\+|:\S*)?")


def find_named_cells(text: str) -> list[NamedValue]:
    """Users and hosts in the columns of tables whose headings say so, in order."""
    if "\n" not in text or re.search(_HEADING, text) is None:
        return []
    lines = text.split("\n")
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line) + 1)
    found: list[NamedValue] = []
    for cell in find_cells(lines, _judge_headings):
        word = _CELL.fullmatch(lines[cell.line][cell.begin : cell.end])
        if word is not None and looks_like_name(cell.kind, word[1]):
            begin = begins[cell.line] + cell.begin
            found.append(NamedValue(cell.kind, begin, begin + len(word[1])))
    return found


def _judge_headings(texts: list[str]) -> list[str]:
    headings = {"user": _USER_HEADING, "host": _HOST_HEADING, "group": _GROUP_HEADING}
    return [
        next((kind for kind, heading in headings.items() if heading.fullmatch(text)), "")
        for text in texts
    ]
