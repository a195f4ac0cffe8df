"""Warnings of Python, which may go on over several lines."""

import re

from pipedoctor.log.wrapping import Line

LONGEST = 6
"""Lines of a warning behind its first."""
_RANKS = 200
_BEGINS = re.compile(
    r":\d{1,7}: (?:\w{1,60}\.){0,6}\w{0,60}Warning:|^\s{0,8}\w{0,60}Warning:"
)
_ENDS = re.compile(
    r"^\s{0,8}(?:warnings\.)?_?warn\w{0,20}\(|^Traceback|^\s{1,8}File \""
    r"|^(?:\w{1,60}\.){0,6}\w{1,80}(?:Error|Exception)\b"
)


class Warned:
    """Follows the warnings of every rank."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    def read(self, line: Line) -> bool:
        """Take the next line; is it one of a warning?"""
        if _BEGINS.search(line.text):
            if len(self._left) < _RANKS or line.rank in self._left:
                self._left[line.rank] = LONGEST
            return True
        left = self._left.pop(line.rank, 0)
        if not left or _ENDS.match(line.text):
            return False
        self._left[line.rank] = left - 1
        return True
