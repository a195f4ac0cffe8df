"""The form of a name in a line that a program writes, and what such forms share."""

from typing import NamedTuple

from pipedoctor.privacy.patterns import MarkedPattern

PROMPT = r"[: ][^\n@]{0,200}?[$#%](?:\s|$)"
QUEUE_ROW = r"(?m)(^\s*\d+(?:_[\[\]\d,%-]+)?\s+\S+\s+\S+\s+"
TIMES = (":0", ":1", ":2", ":3", ":4", ":5")
"""Of which one stands in every time."""
MAN = "https://man7.org/linux/man-pages"
USER = r"((?!<)[A-Za-z_][\w.-]*[\w$])(?![\w<(])"
NAME = r"([A-Za-z][\w.-]*\w)(?![\w(=/<]|\.\w)"
"""Of a user, in a sentence."""
HOST = r"((?!<)(?=[\w.-]{0,200}[A-Za-z])[A-Za-z0-9][\w.-]*[A-Za-z0-9])(?![\w<(])"


class NameForm(NamedTuple):
    """The first group of a pattern stays, the second is the name."""

    kind: str
    pattern: MarkedPattern
    source: str
    in_word: bool = False
    """May a text without any space match?"""


def make_form(kind: str, source: str, pattern: str, *marks: str, in_word: bool = False) -> NameForm:
    """A row of the tables; `marks` are texts of which one stands in every match."""
    return NameForm(kind, MarkedPattern(pattern, *marks, least=8), source, in_word)
