"""
Lines of a log that name its users and hosts, wherever they stand.

A user whom one line names is hidden in all that is quoted; few lines are quoted, so
these are looked for while the log is read, at the speed of `bytes.find`.
"""

from typing import TYPE_CHECKING

from pipedoctor.lazy_pattern import compile_lazily

if TYPE_CHECKING:
    import re

_NAME = compile_lazily(r"[\w.-]{2,60}")
_PROMPT = compile_lazily(r"[\w.-]{1,40}@[\w.-]{2,60}[:\s~/\]]")
_MARKS = (
    *("/home/", "/Users/", "USER=", "LOGNAME=", "USERNAME=", "SUDO_USER=", "uid=", "user="),
    *("MASTER_ADDR=", "HOSTNAME=", "SLURMD_NODENAME=", "srun: error: ", " ON "),
)
"""What the name stands behind."""
_OWNER_MARKS = ("\n-rw", "\ndrwx", "\nlrwx")
"""Where a line of ``ls -l`` begins."""
_MAX_NAMES = 12
"""Names of one mark: a log of more is redacted by its places alone."""
_MAX_HITS = 400
"""Places of one mark that are looked at in a block."""
_BEFORE, _AFTER = 120, 160
"""Characters of a line that are kept around a mark."""


class NameLines:
    """Keeps a line for each name that a log tells, up to a small number."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, str]] = {
            mark: {} for mark in (*_MARKS, "@", *_OWNER_MARKS)
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines, or the parts of them that name somebody, each once."""
        return tuple(dict.fromkeys(line for row in self._found.values() for line in row.values()))

    def read_block(self, block: bytes) -> None:
        """Look at a block of whole lines."""
        for mark, found in self._found.items():
            if len(found) < _MAX_NAMES:
                _find_names(block, mark, found)


def _find_names(block: bytes, mark: str, found: dict[str, str]) -> None:
    """Add the lines of the block in which a new name stands at the mark."""
    sign = mark.encode()
    place = -1
    for _ in range(_MAX_HITS):
        place = block.find(sign, place + 1)
        if place < 0 or len(found) >= _MAX_NAMES:
            return
        before = block[max(0, place - _BEFORE) : place].rpartition(b"\n")[2]
        if sign.startswith(b"\n"):
            before, place = b"", place + 1
        behind = block[place : place + _AFTER].partition(b"\n")[0]
        line = (before + behind).decode(errors="replace").rstrip("\r")
        if name := _read_name(line, mark):
            found.setdefault(name, line)


def _read_name(line: str, mark: str) -> str:
    """What tells a line from those that name the same."""
    if mark in _OWNER_MARKS:
        return " ".join(line.split()[2:4])
    if mark == "@":
        prompt = _PROMPT.search(line)
        return prompt[0] if prompt else ""
    name: re.Match[str] | None = _NAME.match(line.rpartition(mark)[2].lstrip("\"'"))
    return name[0] if name else ""
