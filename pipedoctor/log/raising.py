"""What code that raises would have said, where a traceback is cut at that line."""

import re

import msgspec

_RAISE = re.compile(
    r"(?:^|[>❱])[ \d│]{0,120}raise (?P<kind>[A-Za-z_][\w.]{0,120})"
    r"\((?:(?P<code>errno\.\w{2,16}), ?)?[A-Za-z]{0,2}(?P<quote>['\"])"
    r"(?P<text>(?:\\.|(?!(?P=quote))[^\\]){4,400})(?P=quote)"
)
_HOLE = re.compile(r"\{[^{}]{0,80}\}|%[-+#0-9.]{0,6}[diufgsrx]")
_ESCAPE = re.compile(r"\\[nrt]")


class Promise(msgspec.Struct, frozen=True):
    """The message of a line of code, where nobody has seen it printed yet."""

    kind: str
    message: str
    code: str
    """The line as it stands."""

    @property
    def name(self) -> str:
        """The exception without its module."""
        return self.kind.rpartition(".")[2]


def promised(text: str) -> Promise | None:
    """What this line of code raises, if it says so in words; 0 for every hole."""
    match = _RAISE.search(text) if "raise " in text else None
    if match is None:
        return None
    message = _ESCAPE.sub(" ", _HOLE.sub("0", match["text"]))
    code = f"[{match['code']}] " if match["code"] else ""
    return Promise(match["kind"], f"{code}{message}".strip(), text.strip())
