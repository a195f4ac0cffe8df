"""Warnings of Python, which may go on over several lines."""

import re

from pipedoctor.log.line_prefixes import LogLine

MAX_WARNING_LINES = 6
"""Lines of a warning behind its first."""
_MAX_RANKS = 200
_WARNING_START = re.compile(
    r":\d{1,7}: (?:\w{1,60}\.){0,6}\w{0,60}Warning:|^\s{0,8}\w{0,60}Warning:"
)
_WARNING_END = re.compile(
    r"^\s{0,8}(?:warnings\.)?_?warn\w{0,20}\(|^Traceback|^\s{1,8}File \""
    r"|^(?:\w{1,60}\.){0,6}\w{1,80}(?:Error|Exception)\b"
)


class WarningTracker:
    """Follows the warnings of every rank."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    def read_line(self, line: LogLine) -> bool:
        """Take the next line; is it one of a warning?"""
        if _WARNING_START.search(line.text):
            if len(self._left) < _MAX_RANKS or line.rank in self._left:
                self._left[line.rank] = MAX_WARNING_LINES
            return True
        left = self._left.pop(line.rank, 0)
        if not left or _WARNING_END.match(line.text):
            return False
        self._left[line.rank] = left - 1
        return True
