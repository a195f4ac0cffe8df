"""Users whose homes a command lists: ``ls /home``."""

import re
from collections.abc import Sequence

from pipedoctor.privacy.names.named_values import NamedValue, may_be_told

_LISTING = (
    r"(?m)\b(?:ls|dir|tree)(?: -\w+)* /(?:home|Users)/?[ \t]*\n"
    r"((?:(?![^\n]{0,200}[$#>:/|])[\w. \t+-]+(?:\n|$)){1,40})"
)
_NAME = r"[A-Za-z_][\w.-]*"


def find_listed_homes(text: str) -> Sequence[NamedValue]:
    """Every name in the lines below the command, in order."""
    if "/home" not in text and "/Users" not in text:
        return ()
    return [
        NamedValue("user", listing.start(1) + word.start(), listing.start(1) + word.end())
        for listing in re.finditer(_LISTING, text)
        for word in re.finditer(_NAME, listing[1])
        if may_be_told("user", word[0])
    ]
