"""Users in home folders that lie deeper than `/home/NAME`, and those that ``ls /home`` lists."""

import re
from collections.abc import Sequence
from string import ascii_lowercase

from pipedoctor.privacy.names.name_form import NameForm, make_form
from pipedoctor.privacy.names.named_values import NamedValue, may_be_told

_LISTING = (
    r"(?m)\b(?:ls|dir|tree)(?: -\w+)* /(?:home|Users)/?[ \t]*\n"
    r"((?:(?![^\n]{0,200}[$#>:/|])[\w. \t+-]+(?:\n|$)){1,40})"
)
_LISTED = r"[A-Za-z_][\w.-]*"

_ABOVE = (
    r"[/\\](?:[a-z]{0,8}homes?\d*|[Uu]sers|[a-z]{0,8}scratch\d*|work\d*)[/\\]"
    r"(?:(?:<user-\d+>|[\w.-]{1,30})[/\\])?"
)
"""Where all users have theirs, and perhaps a department, a cluster or a share."""
_BY_LETTER = "|".join(rf"{letter}[/\\](?={letter})" for letter in ascii_lowercase)
_NAME = r"([a-z][\w.-]*\w)(?=[/\\])"
_MARKS = ("home", "sers", "scratch", "work")

NESTED_HOMES: tuple[NameForm, ...] = (
    make_form(
        "user",
        "https://docs.nersc.gov/filesystems/",
        rf"({_ABOVE}(?:{_BY_LETTER})){_NAME}",
        *_MARKS,
        in_word=True,
    ),
    make_form(
        "told user",
        "https://gatech.service-now.com/home?id=kb_article_view&sysparm_article=KB0041974",
        r"([/\\]homes?[/\\](?:<user-\d+>|[a-z]+\d+)[/\\]\d[/\\])" + _NAME,
        "home",
        in_word=True,
    ),
    make_form(
        "told user",
        "https://wiki.bwhpc.de/e/Registration/Login",
        r"([/\\]homes?[/\\](?:<user-\d+>|[a-z]{2,4})[/\\][a-z]{2,4}_[a-z]{2,4}[/\\])"
        r"([a-z]{2,4}_\w+)(?=[/\\])",
        "home",
        in_word=True,
    ),
)


def find_listed_homes(text: str) -> Sequence[NamedValue]:
    """Every name in the lines below the command, in order."""
    if "/home" not in text and "/Users" not in text:
        return ()
    return [
        NamedValue("user", listing.start(1) + word.start(), listing.start(1) + word.end())
        for listing in re.finditer(_LISTING, text)
        for word in re.finditer(_LISTED, listing[1])
        if may_be_told("user", word[0])
    ]
